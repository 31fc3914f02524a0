import { MatrixError } from 'matrix-bot-sdk';
import { EncryptedRoomError } from './crypto.ts';
import { MatrixTimeoutError } from './http.ts';

/** Answers after which this access token is of no use any more. */
const TOKEN_IS_DEAD = ['M_UNKNOWN_TOKEN', 'M_MISSING_TOKEN', 'M_USER_DEACTIVATED'];

/** The errcode that ends the sync for good, or null: a new login is needed, repeating does not help. */
export function deadTokenCode(error: unknown): string | null {
  if (!(error instanceof MatrixError)) return null;
  return TOKEN_IS_DEAD.includes(error.errcode) ? error.errcode : null;
}

/** The homeserver said no for a reason that repeating does not cure (429 is not one). */
export function isFinalRefusal(error: unknown): error is MatrixError {
  if (!(error instanceof MatrixError) || deadTokenCode(error) !== null) return false;
  return error.statusCode >= 400 && error.statusCode < 500 && error.statusCode !== 429;
}

/**
 * Why something could not be sent: `refused` for good, `unreachable` as long as the homeserver or
 * its answers are in trouble, or a fault of our `own` before anything was sent.
 */
export function roomTroubleOf(error: unknown): 'refused' | 'unreachable' | 'own' {
  if (isFinalRefusal(error) || error instanceof EncryptedRoomError) return 'refused';
  if (error instanceof MatrixError || error instanceof MatrixTimeoutError) return 'unreachable';
  // The SDK throws its raw response for answers that are not JSON; fetch hides the reason in a cause.
  if (!(error instanceof Error)) return 'unreachable';
  const isFetch = error instanceof TypeError && /fetch failed|terminated/.test(error.message);
  return isFetch || error.name === 'AbortError' ? 'unreachable' : 'own';
}

/** What a log says about any failure: never a body, never a header. */
export function failureFields(error: unknown): { why: string; errcode?: string; status?: number } {
  if (error instanceof MatrixError) {
    return { why: error.error ?? error.errcode, errcode: error.errcode, status: error.statusCode };
  }
  if (error instanceof Error) return { why: `${error.name}: ${error.message}${causeOf(error)}` };
  return { why: statusOf(error) };
}

/** The SDK throws its raw response for answers that are not JSON, such as a proxy's error page. */
function statusOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('statusCode' in error))
    return 'unknown failure';
  return `HTTP ${String(error.statusCode)} without a Matrix error`;
}

/** fetch says only "fetch failed"; the reason hides in its cause. */
function causeOf({ cause }: Error): string {
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
}

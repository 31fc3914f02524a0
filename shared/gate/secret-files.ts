import type { SecretFile } from './secret-file.ts';
import { APP_SECRETS } from './secret-files-apps.ts';
import { SYSTEM_SECRETS } from './secret-files-systems.ts';

/**
 * Secrets of much used self-hosted applications: passwords, tokens, private keys and the databases
 * that hold them. The places are those of the applications' own documentation and images; below
 * which folder an operator keeps them is open, so the forms look at the end of a path.
 */
export const SECRET_FILES: readonly SecretFile[] = [...APP_SECRETS, ...SYSTEM_SECRETS];

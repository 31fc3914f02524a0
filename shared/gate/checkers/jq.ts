/**
 * Why a jq or yq expression may read more than its input, or undefined when it cannot: the
 * environment, modules, other files.
 */
export function refuseJq(filter: string): string | undefined {
  if (/\$ENV|\$__/.test(filter)) return 'the filter reads the environment';
  if (/\bEnv\b|\.(Config|ContainerConfig|Spec)(?![\w.[])/.test(filter)) {
    return 'the filter prints the environment of a container';
  }
  if (/@base(32|64)|\b(explode|implode)\b/.test(filter)) {
    return 'the filter encodes what it prints';
  }
  const risky =
    /(^|[^\w.$"]|\.\.)(env|include|import|modulemeta|input_filename|get_search_list|load\w*|envsubst|strenv|eval|system)\b/;
  return risky.test(filter) ? 'the filter reads the environment or other files' : undefined;
}

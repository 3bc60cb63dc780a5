/** Why SQL with templates cannot become statements; the message is for the author of the playbook. */
export class SqlProblem extends Error {
  override name = 'SqlProblem';
}

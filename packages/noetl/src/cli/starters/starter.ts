/** A playbook to start from: from its name, quoted for YAML if need be, to the text of its file. */
type Starter = (name: string) => string;

/** `body` is all that differs: the workload, and what follows it. */
export const starter =
  (description: string, body: string): Starter =>
  (name) =>
    `apiVersion: noetl.io/v2
kind: Playbook

metadata:
  name: ${name}
  path: ${name}
  version: "1.0"
  description: ${description}

# Defaults; the payload of an execution goes over them.
${body}`;

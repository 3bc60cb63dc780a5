// The playbook language (YAML text to a canonical model with diagnostics) will live here; nothing is exported yet.
export {};

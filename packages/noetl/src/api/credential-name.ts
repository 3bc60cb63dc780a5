/** What people and playbooks call a credential by. */
export const CREDENTIAL_NAME = /^[A-Za-z_][\w.-]{0,127}$/;

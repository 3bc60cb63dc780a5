// The web interface will live here; nothing is exported yet.
export {};

// What other programs may import from `noetl` will be exported here; for now the package is only the command.
export {};

/** What this folder bundles itself. */
declare module "*/.bundled/duckdb.js" {
  export { AsyncDuckDB, VoidLogger } from "@duckdb/duckdb-wasm";
}

/** Packages without types, or with types that this folder's way to import them does not find. */
declare module "*/flexsearch.bundle.module.min.mjs";
declare module "*/lang/en.js";
declare module "*/mememo/dist/index.es.js";
declare module "*/sqlite-vec-wasm-demo/sqlite3.mjs";
declare module "*/voy_search_bg.js";
declare module "*/pyodide/pyodide.mjs";

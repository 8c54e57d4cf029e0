"""One module for each engine that is measured; `common` says what such a module provides."""

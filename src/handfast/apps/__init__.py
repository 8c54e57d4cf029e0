"""What people build on the engine: one package per kind of matchmaking, each with a schema of its
own name. Apps do not import each other."""

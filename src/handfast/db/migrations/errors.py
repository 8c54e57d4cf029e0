"""Errors of code and schema that do not fit."""

from handfast.base.errors import MigrationError


class DatabaseNewer(MigrationError):
    code = "DATABASE_NEWER"
    title = "The database is newer than this version of Handfast"


class DatabaseUnreleased(MigrationError):
    """Made before the first baseline, by a build that nobody was promised an upgrade from."""

    code = "DATABASE_UNRELEASED"
    title = "The database is of an unreleased build"


class MigrationEdited(MigrationError):
    code = "MIGRATION_EDITED"
    title = "A migration that was applied has been edited since"


class MigrationFailed(MigrationError):
    code = "MIGRATION_FAILED"
    title = "A migration failed and was rolled back"


class MigrationsInvalid(MigrationError):
    """The files themselves are wrong: a number twice, a hole, a bad name."""

    code = "MIGRATIONS_INVALID"
    title = "The migration files are not in order"


class MigrationsPending(MigrationError):
    code = "MIGRATIONS_PENDING"
    title = "The database has not been migrated yet"
    told = (
        "The database has not been migrated yet. Whoever runs this server runs `handfast migrate`."
    )


class NamesTaken(MigrationError):
    """Schemas, functions, views or types of somebody else's where ours have to be."""

    code = "NAMES_TAKEN"
    title = "Names that Handfast needs are taken in this database"


class SearchPathUnsafe(MigrationError):
    code = "SEARCH_PATH_UNSAFE"
    title = "A login's search_path reaches the schema handfast"

"""Texts that are one of few words say which (``base/words``): clients make types of it."""

from litestar.openapi.spec import Schema
from litestar.plugins import OpenAPISchemaPlugin
from litestar.typing import FieldDefinition

from handfast.base.words import OneOf


class NamedWords(OpenAPISchemaPlugin):
    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        return _words(field_definition) is not None

    def to_openapi_schema(
        self,
        field_definition: FieldDefinition,
        schema_creator: "SchemaCreator",  # type: ignore[name-defined]  # noqa: F821  # private
    ) -> Schema:
        found = _words(field_definition)
        assert found is not None  # noqa: S101  # or the plugin would not be asked
        # A reference to them: the framework takes one, whatever the plugin's type says.
        schema: Schema = schema_creator.for_field_definition(
            FieldDefinition.from_annotation(found.words)
        )
        return schema


def _words(field: FieldDefinition) -> OneOf | None:
    return next((one for one in field.metadata if isinstance(one, OneOf)), None)

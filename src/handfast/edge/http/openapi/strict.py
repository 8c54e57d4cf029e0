"""Bodies that take no unknown fields say so in the OpenAPI document.

Litestar's own description of a Struct leaves it out. A misspelt filter must not match everything,
so such bodies refuse what they do not know, and the description has to be true.
"""

import msgspec
from litestar.openapi.spec import Schema
from litestar.plugins import OpenAPISchemaPlugin
from litestar.typing import FieldDefinition


class StrictStructs(OpenAPISchemaPlugin):
    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        return (
            not field_definition.is_union
            and field_definition.is_subclass_of(msgspec.Struct)
            and bool(field_definition.type_.__struct_config__.forbid_unknown_fields)
        )

    def to_openapi_schema(
        self,
        field_definition: FieldDefinition,
        schema_creator: "SchemaCreator",  # type: ignore[name-defined]  # noqa: F821  # private
    ) -> Schema:
        usual = next(
            plugin
            for plugin in schema_creator.plugins
            if plugin is not self
            and isinstance(plugin, OpenAPISchemaPlugin)
            and plugin.is_plugin_supported_field(field_definition)
        )
        schema: Schema = usual.to_openapi_schema(field_definition, schema_creator)
        schema.additional_properties = False
        return schema

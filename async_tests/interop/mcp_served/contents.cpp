#include "everything.hpp"

#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

namespace {

using boost::json::object;
using weft::mcp_call_result;
using weft::mcp_content;
using weft::mcp_server_context;
using weft::task;

constexpr const char* red_pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
constexpr const char* silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

task<mcp_call_result> with(mcp_call_result result) { co_return result; }

void add_fixed(weft::mcp_server& server, std::string name, std::vector<mcp_content> content)
{
    mcp_call_result result;
    result.content = std::move(content);
    server.add_tool(tool_named(name, "Gives " + name),
                    [result](mcp_server_context&, object) { return with(result); });
}

void add_resources(weft::mcp_server& server)
{
    const auto read = [](mcp_server_context&, std::string uri,
                         object parts) -> task<std::vector<weft::mcp_resource_content>> {
        weft::mcp_resource_content content;
        content.uri = uri;
        content.mime_type = uri.ends_with("binary") ? "image/png" : "text/plain";
        content.is_text = !uri.ends_with("binary");
        if (!content.is_text) content.blob = red_pixel;
        else content.text = "This is the content of the static text resource.";
        if (const auto* id = parts.if_contains("id")) {
            const object said{{"id", *id}, {"templateTest", true},
                              {"data", "Data for ID: " + std::string{id->as_string()}}};
            content.mime_type = "application/json";
            content.text = boost::json::serialize(said);
        }
        co_return std::vector<weft::mcp_resource_content>{std::move(content)};
    };
    const auto describe = [](const char* uri, const char* name, const char* type) {
        weft::mcp_resource resource;
        resource.uri = uri;
        resource.name = name;
        resource.description = std::string{"The resource "} + name;
        resource.mime_type = type;
        return resource;
    };
    server.add_resource(describe("test://static-text", "static-text", "text/plain"), read);
    server.add_resource(describe("test://static-binary", "static-binary", "image/png"), read);
    server.add_resource(describe("test://watched-resource", "watched-resource", "text/plain"), read);
    weft::mcp_resource_template family;
    family.uri_template = "test://template/{id}/data";
    family.name = "template";
    family.description = "Data by its id";
    family.mime_type = "application/json";
    server.add_resource_template(family, read);
}

weft::mcp_prompt_text user_says(std::vector<mcp_content> contents)
{
    weft::mcp_prompt_text prompt;
    for (mcp_content& each : contents) prompt.messages.push_back({"user", std::move(each)});
    return prompt;
}

std::string text_of(const object& arguments, std::string_view name)
{
    return std::string{arguments.at(name).as_string()};
}

void add_prompts(weft::mcp_server& server)
{
    const auto describe = [](const char* name, std::vector<const char*> required) {
        weft::mcp_prompt prompt;
        prompt.name = name;
        prompt.description = std::string{"The prompt "} + name;
        for (const char* each : required) prompt.arguments.push_back({each, "an argument", true});
        return prompt;
    };
    server.add_prompt(describe("test_simple_prompt", {}),
                      [](mcp_server_context&, object) -> task<weft::mcp_prompt_text> {
                          co_return user_says({text_content("This is a simple prompt for testing.")});
                      });
    server.add_prompt(describe("test_prompt_with_arguments", {"arg1", "arg2"}),
                      [](mcp_server_context&, object given) -> task<weft::mcp_prompt_text> {
                          co_return user_says({text_content("Prompt with arguments: arg1='" + text_of(given, "arg1") +
                                                            "', arg2='" + text_of(given, "arg2") + "'")});
                      });
    server.add_prompt(describe("test_prompt_with_embedded_resource", {"resourceUri"}),
                      [](mcp_server_context&, object given) -> task<weft::mcp_prompt_text> {
                          co_return user_says({resource_content(text_of(given, "resourceUri"), "text/plain",
                                                                "Embedded resource content for testing."),
                                               text_content("Please process the embedded resource above.")});
                      });
    server.add_prompt(describe("test_prompt_with_image", {}),
                      [](mcp_server_context&, object) -> task<weft::mcp_prompt_text> {
                          co_return user_says({image_content(), text_content("Please analyze the image above.")});
                      });
}

}  // namespace

mcp_content text_content(std::string words)
{
    mcp_content content;
    content.what = mcp_content::kind::text;
    content.text = std::move(words);
    return content;
}

mcp_content image_content()
{
    mcp_content content;
    content.what = mcp_content::kind::image;
    content.data = red_pixel;
    content.mime_type = "image/png";
    return content;
}

mcp_content resource_content(std::string uri, std::string type, std::string words)
{
    mcp_content content;
    content.what = mcp_content::kind::resource;
    content.uri = std::move(uri);
    content.mime_type = std::move(type);
    content.text = std::move(words);
    return content;
}

weft::mcp_tool tool_named(std::string name, std::string description, std::string_view schema)
{
    weft::mcp_tool tool;
    tool.name = std::move(name);
    tool.description = std::move(description);
    tool.input_schema = schema.empty() ? boost::json::value(object{{"type", "object"}}) : weft::parse_json(schema);
    return tool;
}

void add_contents(weft::mcp_server& server)
{
    mcp_content sound;
    sound.what = mcp_content::kind::audio;
    sound.data = silence;
    sound.mime_type = "audio/wav";
    add_fixed(server, "test_simple_text", {text_content("This is a simple text response for testing.")});
    add_fixed(server, "test_image_content", {image_content()});
    add_fixed(server, "test_audio_content", {sound});
    add_fixed(server, "test_embedded_resource",
              {resource_content("test://embedded-resource", "text/plain", "This is an embedded resource content.")});
    add_fixed(server, "test_multiple_content_types",
              {text_content("Multiple content types test:"), image_content(),
               resource_content("test://mixed-content-resource", "application/json",
                                R"({"test":"data","value":123})")});
    server.add_tool(tool_named("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", R"({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object",
                              "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
                       "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                       "phone": {"type": "string"}, "email": {"type": "string"}},
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]}, "else": {"required": ["email"]},
        "additionalProperties": false})"),
                    [](mcp_server_context&, object given) {
                        return with(mcp_call_result::of_text(boost::json::serialize(given)));
                    });
    server.add_tool(tool_named("test_custom_headers", "Takes arguments that stand in headers as well", R"({
        "type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"},
                                         "count": {"type": "integer", "x-mcp-header": "Count"}}})"),
                    [](mcp_server_context&, object given) {
                        return with(mcp_call_result::of_text(boost::json::serialize(given)));
                    });
    add_resources(server);
    add_prompts(server);
}

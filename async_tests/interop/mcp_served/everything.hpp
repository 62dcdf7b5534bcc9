#pragma once

#include <weft/tool/mcp_server.hpp>

#include <string>
#include <string_view>

/** What the test suites of the protocol want a server to offer, by the names that they use. */
void add_contents(weft::mcp_server& server);
void add_conversations(weft::mcp_server& server);
void add_questions(weft::mcp_server& server);

[[nodiscard]] weft::mcp_content text_content(std::string words);
[[nodiscard]] weft::mcp_content image_content();
[[nodiscard]] weft::mcp_content resource_content(std::string uri, std::string type, std::string words);
/** A tool without arguments, or with those of a schema. */
[[nodiscard]] weft::mcp_tool tool_named(std::string name, std::string description, std::string_view schema = {});

// Sample 27, an MCP server: a client of the Model Context Protocol starts this program, and calls its two tools.
// In the settings of a client: {"mcpServers": {"trip": {"command": "27_mcp_server"}}}

#include <weft/async/run_blocking.hpp>
#include <weft/tool/mcp_server.hpp>

#include <boost/describe.hpp>

#include <string>

// [serve]
struct trip {
    std::string from;
    std::string to;
};
BOOST_DESCRIBE_STRUCT(trip, (), (from, to))

// A tool that asks the person at the client before it does something.
weft::task<weft::mcp_call_result> book(weft::mcp_server_context& context, boost::json::object arguments)
{
    context.progress(1, 2, "asking");
    const boost::json::object form{{"type", "object"}, {"properties", {{"seats", {{"type", "integer"}}}}}};
    const boost::json::object said = co_await context.elicit("How many seats?", form);
    if (said.at("action") != "accept") co_return weft::mcp_call_result::error("not booked");
    const auto seats = said.at("content").at("seats").to_number<int>();
    co_return weft::mcp_call_result::of_text(std::to_string(seats) + " seats to " +
                                             std::string{arguments.at("to").as_string()});
}

int main()
{
    weft::tool_set tools;
    tools.add("fare", "What a trip costs.", [](trip of) { return of.from + " to " + of.to + ": 12 €"; }).read_only();
    weft::mcp_server server;
    server.add_tools(std::move(tools));
    weft::mcp_tool booking;
    booking.name = "book";
    booking.input_schema = {{"type", "object"}, {"properties", {{"to", {{"type", "string"}}}}}, {"required", {"to"}}};
    server.add_tool(booking, book);
    weft::run_blocking(server.serve_stdio());
}
// [/serve]

// Fuzzes commands of the second protocol against a server on virtual time: each is answered, with the id that it has or
// with null, and none is a failure of the server.

#include "serve/protocol/thread_commands.hpp"
#include "stream_pieces.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/simulation.hpp>

namespace {

using namespace weft::serve_detail;
using boost::json::object;
using boost::json::value;
using stream_pieces::require;

inline constexpr weft::state_key<std::string> name{"name"};

constexpr std::string_view pieces[] = {
    "{", "}", "[", "]", ",", ":", "null", "1", "\"a\"", R"({"id":1,"method":"run.start","params":{)",
    R"({"id":2,"method":"input.respond","params":{)", R"({"id":3,"method":"agent.getTree","params":{)",
        R"("assistant_id":"talk")",
    R"("assistantId":"talk")", R"("input":{"name":"x"})", R"("input":)", R"("multitaskStrategy":"interrupt")",
    R"("interrupt_id":"a")", R"("response":)", R"("responses":[)", R"("update":{)", R"("goto":"a")", R"("config":{)",
    R"("configurable":{)", R"("checkpoint_id":"7")", R"("webhook":"http://127.0.0.1/")", R"("metadata":{"a":1})",
        "}}", "}",
};

void check(std::string_view text)
{
    const std::optional<object> given = stream_pieces::object_in(text);
    if (!given) return;
    const value* const sent = given->if_contains("id");
    const value id = sent && (sent->is_int64() || sent->is_uint64()) ? *sent : value(nullptr);
    weft::testing::simulation world{1};
    weft::memory_store store{weft::hash_key{}};
    const weft::graph talk = weft::graph_builder{"talk"}
                                 .state(name)
                                 .node("a", [](weft::node_context&) {})
                                 .edge(weft::start, "a")
                                 .build();
    serve_core core{world.loop(), weft::server_stores{store}, {talk}, weft::server_options{}, loop_share{}};
    command_caller caller;
    caller.thread = weft::thread_key{"t"};
    const object answer = world.run(answer_command(core, caller, *given, nullptr));
    const bool is_error = answer.at("type") == value("error");
    require(is_error || answer.at("type") == value("success"));
    require(answer.at("id") == id);
    if (is_error) require(!answer.at("message").as_string().empty() && !answer.at("error").as_string().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    check({reinterpret_cast<const char*>(data), size});
    check(stream_pieces::spelled_out(pieces, data, size));
    return 0;
}

// Fuzzes what clients of AG-UI send: it is read, or refused with the place of the mistake; what it means is decided,
// and no message of the conversation is taken twice.

#include "serve/ag_ui/agent_input.hpp"
#include "serve/ag_ui/state_patch.hpp"
#include "serve/ag_ui/turn_plan.hpp"
#include "stream_pieces.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>

#include <set>

namespace {

using namespace weft::serve_detail;
using boost::json::array;
using boost::json::object;
using boost::json::value;
using stream_pieces::require;

constexpr std::string_view pieces[] = {
    "{", "}", "[", "]", ",", ":", "null", "true", "1", "\"\"", "\"a\"", "\"b\"", R"("threadId":"t")", R"("runId":"r")",
    R"("messages":[)", R"("id":"a")", R"("id":"b")", R"("role":"user")", R"("role":"assistant")", R"("role":"tool")",
    R"("role":"reasoning")", R"("content":"x")", R"("content":[)", R"({"type":"text","text":"x"})",
    R"({"type":"image","source":{"type":"url","value":"https://x"}})", R"("toolCalls":[)", R"("toolCallId":"a")",
    R"({"id":"a","function":{"name":"f","arguments":"{}"}})", R"("state":)", R"("tools":)", R"("context":)",
    R"("forwardedProps":)", R"("resume":[)", R"("interruptId":"a")", R"("status":"resolved")",
    R"("status":"cancelled")", R"("payload":)", R"("protocolVersion":"1.0")", R"("parentRunId":"p")", R"("error":"e")",
};

void check_plan(const agent_input& input)
{
    for (int which = 0; which < 8; ++which) {
        known_conversation known;
        known.run = static_cast<known_conversation::run_state>(which % 3);
        known.has_request = which == 7;
        if (which & 1) known.messages.insert("a");
        if (which & 2) known.calls.insert("a");
        if (which & 4) known.questions.push_back("a");
        const agent_turn turn = plan_turn(input, known);
        require((turn.what == agent_turn::kind::refuse) == !turn.code.empty());
        require(turn.code.empty() == turn.why.empty());
        for (const std::size_t place : turn.added) {
            require(place < input.messages.size());
            require(!known.messages.contains(input.messages[place].id));
        }
        // What waits, or is under way, is never begun anew by a request that brings nothing.
        const bool has_run = known.run != known_conversation::run_state::none;
        require(turn.what != agent_turn::kind::begin || !has_run || !turn.added.empty());
    }
}

void check(std::string_view text)
{
    const std::optional<object> given = stream_pieces::object_in(text);
    if (!given) return;
    try {
        check_plan(read_agent_input(*given));
    } catch (const weft::http_error& refused) {
        require(refused.status() == 422 && std::string_view{refused.what()}.starts_with("body."));
    }
    // A patch of two values that clients chose: it ends, whatever they are.
    array patch;
    add_json_patch(patch, object{}, value(*given), "");
    add_json_patch(patch, value(*given), object{}, "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    check({reinterpret_cast<const char*>(data), size});
    const std::string text = stream_pieces::spelled_out(pieces, data, size);
    check(text);
    check(R"({"threadId":"t","runId":"r",)" + text + '}');
    return 0;
}

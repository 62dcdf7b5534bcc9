// Fuzzes what clients of OpenAI's protocols send: it is read, or refused with 400 and the place of the mistake. What is
// read is what conversations of graphs take.

#include "serve/openai/completion_request.hpp"
#include "serve/openai/openai_error.hpp"
#include "serve/openai/openai_ids.hpp"
#include "serve/openai/response_request.hpp"
#include "serve/state/message_wire.hpp"
#include "stream_pieces.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/append_json_text.hpp>
#include <weft/chat/message.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

namespace {

using namespace weft::serve_detail;
using boost::json::array;
using boost::json::object;
using boost::json::value;
using stream_pieces::require;

constexpr std::string_view pieces[] = {
    "{", "}", "[", "]", ",", ":", "null", "true", "false", "1", "1e300", "\"\"", "\"a\"",
    R"("model":"a")", R"("input":)", R"("messages":)", R"("role":"user")", R"("role":"assistant")",
    R"("role":"tool")", R"("role":"developer")", R"("content":)", R"("type":"message")", R"("type":"function_call")",
    R"("type":"function_call_output")", R"("type":"reasoning")", R"("type":"compaction")", R"("type":"input_text")",
    R"("type":"input_image")", R"("type":"function")", R"("text":)", R"("image_url":)", R"("url":"a")",
    R"("call_id":"c")", R"("tool_call_id":"c")", R"("tool_calls":)", R"("function":)", R"("name":"f")", R"("id":"c")",
    R"("arguments":"{}")", R"("arguments":"{")", R"("output":)", R"("encrypted_content":"x")", R"("tools":)",
    R"("metadata":)", R"("conversation":)", R"("previous_response_id":)", R"("instructions":"x")", R"("stream":true)",
    R"("stream_options":)", R"("store":)", R"("background":)", R"("text":{"format":)", R"("reasoning":)", R"("n":)",
    R"("user":"x")",
};

void check_input(const conversation_input& input)
{
    require(input.messages.size() == input.places.size());
    (void)input.text();
    for (const value& one : input.messages) {
        const object json = message_from_langchain(one, "input");
        (void)boost::json::value_to<weft::message>(value(json));
    }
}

/** Does `read`; a refusal says whose mistake it is, and where. */
template <class Read>
void try_reading(const Read& read)
{
    try {
        check_input(read());
    } catch (const weft::http_error& refused) {
        refusal why;
        why.status = refused.status();
        why.code = refused.code();
        why.message = refused.what();
        require(openai_status(why.status) == 400 && openai_error_view(why).at("param").is_string());
    }
}

void check(std::string_view text)
{
    if (const auto id = response_id::parse(text)) require(id->text().starts_with("resp_"));
    const std::optional<object> given = stream_pieces::object_in(text);
    if (!given) return;
    // What was sealed is a list of messages.
    const compaction_opener open = [](std::string_view, std::string_view) {
        array opened;
        opened.push_back(object{{"role", "user"}, {"content", "before"}});
        return opened;
    };
    try_reading([&] { return read_completion_request(*given).input; });
    try_reading([&] {
        const response_request request = read_response_request(*given, open);
        require(request.echo.contains("tools") && request.echo.at("metadata").is_object());
        return request.input;
    });
}

void check_text(std::string_view text)
{
    std::string json;
    weft::append_json_text(json, text);
    require(json.size() >= text.size() + 2 && json.front() == '"' && json.back() == '"');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view raw{reinterpret_cast<const char*>(data), size};
    check(raw);
    check_text(raw);
    const std::string text = stream_pieces::spelled_out(pieces, data, size);
    check(text);
    check('{' + text + '}');
    check(R"({"model":"a","messages":[)" + text + R"(],"input":[)" + text + "]}");
    return 0;
}

// Fuzzes what clients send to begin runs, of both protocols, and what entries make of payloads: it is read, or refused
// with a status of the client and the place of the mistake.

#include "serve/protocol/channels.hpp"
#include "serve/protocol/thread_frames.hpp"
#include "serve/schedule/payload_template.hpp"
#include "serve/wire/run_body.hpp"
#include "stream_pieces.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

namespace {

using namespace weft::serve_detail;
using boost::json::object;
using boost::json::value;
using stream_pieces::require;

constexpr std::string_view pieces[] = {
    "{", "}", "[", "]", ",", ":", "null", "true", "1", "-1", "1e300", "\"\"", "\"a\"",
    R"("assistant_id":"a")", R"("input":)", R"("command":)", R"("resume":)", R"("update":)", R"("goto":)",
    R"("stream_mode":)", R"("values")", R"("messages-tuple")", R"("multitask_strategy":"rollback")",
    R"("on_disconnect":"cancel")", R"("on_completion":"keep")", R"("if_not_exists":"create")", R"("checkpoint_id":)",
    R"("checkpoint":)", R"("after_seconds":)", R"("config":)", R"("recursion_limit":)", R"("configurable":)",
    R"("webhook":"http://x")", R"("metadata":)", R"("stream_subgraphs":)", R"("channels":)", R"("custom:x")",
    R"("namespaces":)", R"("depth":)", R"("since":)", R"("$payload")", R"("$payload.a.b")", R"("$payload[0]")",
        R"("$$payload")",
};

/** Does `read`; a refusal says whose mistake it is. */
template <class Read>
void try_reading(const Read& read)
{
    try {
        read();
    } catch (const weft::http_error& refused) {
        require(refused.status() >= 400 && refused.status() < 500 && *refused.what() != '\0');
    } catch (const weft::error& refused) {
        require(*refused.what() != '\0');
    }
}

void check(std::string_view text)
{
    const std::optional<object> given = stream_pieces::object_in(text);
    if (!given) return;
    const object& body = *given;
    try_reading([&] { (void)read_run_body(body, stream_mode::values); });
    static const channel_fields channels{"body"};
    try_reading([&] { (void)channel_filter::read(body, channels); });
    try_reading([&] { (void)channels.since.in(body); });
    try_reading([&] { (void)filled_input(body, value(body)); });
    // A payload is data: nothing in it is looked up again.
    const object once = filled_input(object{{"all", "$payload"}}, value(body));
    require(once.at("all") == value(body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    check({reinterpret_cast<const char*>(data), size});
    const std::string text = stream_pieces::spelled_out(pieces, data, size);
    check(text);
    check('{' + text + '}');
    return 0;
}

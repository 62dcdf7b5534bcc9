#include "stream_reader.hpp"

#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>

#include "model/openai/openai_provider.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

void recording_sink::on_started(std::string_view id, std::string_view model)
{
    ++starts;
    started.assign(id).append("/").append(model);
}

void recording_sink::on_text(std::string_view piece)
{
    ++pieces;
    text += piece;
}

void recording_sink::on_tool_call(std::size_t slot, std::string_view id, std::string_view name)
{
    calls[slot].id = id;
    calls[slot].name = name;
}

void recording_sink::on_tool_arguments(std::size_t slot, std::string_view piece)
{
    calls.at(slot).arguments += piece;  // throws if the call was not announced
}

std::string recording_sink::log() const
{
    std::string out = "started " + std::to_string(starts) + " " + started + "\ntext " + text + "\nreasoning " +
                      reasoning + "\nrefusal " + refusal + "\n";
    for (const auto& [slot, c] : calls)
        out += "call " + std::to_string(slot) + " " + c.id + " " + c.name + " " + c.arguments + "\n";
    if (usage) out += "usage " + boost::json::serialize(weft::to_json(*usage)) + "\n";
    return out;
}

namespace {

std::string log_of(const weft::chat_reply& reply)
{
    std::string out = boost::json::serialize(weft::to_json(reply.message)) + "\n" +
                      boost::json::serialize(weft::to_json(reply.usage)) + "\n" +
                      std::string{weft::name_of(reply.stop)} + " " + reply.stop_detail + " " + reply.id + " " +
                      reply.model + "\n";
    for (const std::string& warning : reply.warnings) out += "warning " + warning + "\n";
    return out;
}

weft::reply_options options_for(const reading& how)
{
    weft::reply_options options;
    options.where = "gpt-x at test";
    options.model = "gpt-x";
    options.request_id = "req_1";
    options.id_seed = 1;
    options.limits = how.limits;
    return options;
}

template <class Read>
outcome observe(const reading& how, Read read)
{
    static const weft::secret_string key{"sk-TEST-0123456789"};
    outcome result;
    const auto reader = weft::model_detail::openai_reader(options_for(how), how.profile, key);
    try {
        result.reply = read(*reader, result.sink);
    } catch (const weft::model_error& e) {
        result.failure = e;
    }
    return result;
}

}  // namespace

std::string outcome::log() const
{
    std::string out = sink.log();
    if (reply) out += "reply " + log_of(*reply);
    if (!failure) return out;
    out += std::string{"error "} + failure->what() + "\n" + std::to_string(failure->failure().status) +
           (failure->is_retryable() ? " retryable" : " final") + "\n";
    return out + "partial " + log_of(failure->partial());
}

const weft::chat_reply& reply_of(const outcome& o)
{
    BOOST_REQUIRE_MESSAGE(o.reply, (o.failure ? o.failure->what() : "no reply"));
    return *o.reply;
}

const weft::model_error& failure_of(const outcome& o)
{
    BOOST_REQUIRE_MESSAGE(o.failure, "no failure");
    return *o.failure;
}

outcome read_stream(std::string_view body, const reading& how)
{
    return observe(how, [&](weft::model_detail::reply_reader& reader, weft::chat_sink& sink) {
        weft::sse_parser parser{{.dialect = weft::sse_dialect::llm}};
        return read_in_pieces(body, parser, reader, sink, how);
    });
}

outcome read_document(std::string_view body, const reading& how)
{
    return observe(how, [&](weft::model_detail::reply_reader& reader, weft::chat_sink& sink) {
        reader.feed_document(body, sink);
        return reader.finish();
    });
}

std::string events(std::initializer_list<std::string_view> chunks, std::string_view last)
{
    std::string body;
    for (const std::string_view chunk : chunks) body.append("data: ").append(chunk).append("\n\n");
    if (!last.empty()) body.append("data: ").append(last).append("\n\n");
    return body;
}

std::string delta(std::string_view delta_json, std::string_view finish_reason)
{
    std::string chunk = R"({"id":"c","model":"m","choices":[{"index":0,"delta":)";
    chunk.append(delta_json).append(R"(,"finish_reason":)");
    if (finish_reason.empty()) return chunk.append("null}]}");
    return chunk.append("\"").append(finish_reason).append("\"}]}");
}

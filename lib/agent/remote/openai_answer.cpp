#include "openai_answer.hpp"

#include "agent/text/key_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::agent_detail {

namespace {

constexpr std::string_view question_function = "weft_question";  // of servers of weft; see docs/server/OPENAI.md
constexpr std::size_t told_bytes_max = 500;

[[noreturn]] void refuse_answer(std::string why) { throw error{errc::agent_refused, "", std::move(why)}; }

bool is_cut(stop_reason stop) noexcept
{
    return stop == stop_reason::length || stop == stop_reason::content_filter || stop == stop_reason::paused ||
           stop == stop_reason::unfinished;
}

/** The options of a schema that is a list of texts; empty: it is none. */
std::vector<std::string> options_in(const boost::json::object& schema)
{
    std::vector<std::string> options;
    const boost::json::array* const given = peek_array(schema, "enum");
    if (!given) return options;
    for (const boost::json::value& one : *given) {
        if (!one.is_string()) return {};
        options.emplace_back(peek_text(&one));
    }
    return options;
}

/** Whether any text will do: what a question for a text says of its answer. */
bool is_free_text(const boost::json::object& schema)
{
    if (schema.empty()) return true;
    const std::size_t known = schema.contains("minLength") ? 2 : 1;
    return peek_text(schema, "type") == "string" && schema.size() == known;
}

question question_for(std::string text, const boost::json::object& schema)
{
    std::vector<std::string> options = options_in(schema);
    if (!options.empty()) return question::selection(std::move(text), std::move(options));
    if (is_free_text(schema)) return question{std::move(text)};
    if (peek_text(schema, "type") == "boolean" && schema.size() == 1) return question::approval(std::move(text));
    return question::structured(std::move(text), schema);
}

}  // namespace

openai_answer answer_of_reply(chat_reply reply)
{
    const std::string refusal = reply.message.refusal();
    if (!refusal.empty()) refuse_answer("the agent refuses: " + shortened(refusal, told_bytes_max));
    if (is_cut(reply.stop))
        refuse_answer("its answer is incomplete: " +
                      (reply.stop_detail.empty() ? std::string{name_of(reply.stop)} : reply.stop_detail));
    for (const tool_call& call : reply.message.tool_calls)
        if (call.name != question_function)
            refuse_answer("it calls the function '" + call.name + "', which the node does not have: an agent answers, "
                          "or asks by " + std::string{question_function});
    openai_answer answer;
    answer.said = std::move(reply.message);
    answer.used = reply.usage;
    answer.id = std::move(reply.id);
    return answer;
}

question question_of_call(const tool_call& call)
{
    boost::json::value read;
    try {
        read = parse_json(call.arguments);
    } catch (const error& e) {
        refuse_answer("its question is no JSON: " + e.detail());
    }
    const boost::json::object none;
    const boost::json::object* const arguments = read.if_object();
    if (!arguments) refuse_answer("its question is no JSON object");
    const boost::json::object* const schema = peek_object(*arguments, "answer_schema");
    question asked = question_for(std::string{peek_text(*arguments, "question")}, schema ? *schema : none);
    asked.help = peek_text(*arguments, "help");
    if (const boost::json::value* const about = peek_member(*arguments, "about")) asked.about = *about;
    const std::string fault = asked.fault();
    if (!fault.empty()) refuse_answer("its question cannot be asked: " + fault);
    return asked;
}

std::string output_of_answer(const question& asked, const boost::json::value& answer)
{
    const boost::json::string* const text = answer.if_string();
    if (!text) return boost::json::serialize(answer);
    const std::string plain{text->data(), text->size()};
    if (asked.kind == question_kind::free_text) return plain;
    try {
        (void)parse_json(plain);
    } catch (const error&) {
        return plain;
    }
    return boost::json::serialize(answer);  // else "12" would be a number
}

}  // namespace weft::agent_detail

#include "agent_dry_run.hpp"

#include "agent/core/dry_run_model.hpp"
#include "agent/prompt/answer_schema.hpp"

#include <weft/agent/chat_agent/completion.hpp>

#include <boost/json/serialize.hpp>

#include <optional>
#include <utility>

namespace weft::agent_detail {

namespace {

/** What was said to the model. */
struct heard_conversation {
    std::size_t replies = 0;  ///< Since the user spoke.
    bool wants_block = false;
};

heard_conversation inspect_conversation(const chat_request& request)
{
    heard_conversation heard;
    for (const message& said : request.messages) {
        if (said.role == role::user) heard.replies = 0;
        if (said.role == role::assistant) ++heard.replies;
        const bool is_prompt = said.role == role::system;
        if (is_prompt && said.text().find("<AGENT_DONE>") != std::string::npos) heard.wants_block = true;
    }
    return heard;
}

/** A plain answer of the form that is asked for, such as the first of several choices. */
std::string answer_that_fits(const output_schema& form, std::string text)
{
    const boost::json::object* const schema = form.schema.if_object();
    const std::optional<boost::json::value> answer = schema ? plain_value_of(*schema, text) : std::nullopt;
    return answer ? boost::json::serialize(*answer) : text;
}

message agent_line(const std::vector<std::string>& script, const chat_request& request)
{
    const heard_conversation heard = inspect_conversation(request);
    std::string text = "(rehearsal: no model is configured)";
    if (!script.empty()) text = scripted_line(script, heard.replies);
    else if (request.output) text = answer_that_fits(*request.output, std::move(text));
    if (heard.wants_block && read_completion(text).what == completion_kind::in_progress)
        text += "\n<AGENT_DONE></AGENT_DONE>";
    return message::assistant(std::move(text));
}

}  // namespace

std::shared_ptr<chat_model> make_agent_dry_run(std::vector<std::string> script)
{
    return std::make_shared<dry_run_model>(
        [script = std::move(script)](const chat_request& request) { return agent_line(script, request); });
}

}  // namespace weft::agent_detail

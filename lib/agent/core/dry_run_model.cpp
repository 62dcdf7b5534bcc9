#include "dry_run_model.hpp"

#include <boost/assert.hpp>

#include <algorithm>

namespace weft::agent_detail {

namespace {

task<chat_reply> reply_of(message said, chat_sink& sink)
{
    if (const std::string text = said.text(); !text.empty()) sink.on_text(text);
    chat_reply reply;
    reply.stop = said.tool_calls.empty() ? stop_reason::stop : stop_reason::tool_calls;
    reply.message = std::move(said);
    co_return reply;
}

}  // namespace

task<chat_reply> dry_run_model::do_reply(chat_request request, chat_sink& sink)
{
    return reply_of(says_(request), sink);
}

const std::string& scripted_line(const std::vector<std::string>& script, std::size_t index) noexcept
{
    BOOST_ASSERT_MSG(!script.empty(), "a script has a line at least");
    return script[std::min(index, script.size() - 1)];
}

}  // namespace weft::agent_detail

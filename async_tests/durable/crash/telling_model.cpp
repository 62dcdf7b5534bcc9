#include "telling_model.hpp"

#include <weft/store/record/content_hash.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft_crash {

namespace {

constexpr std::string_view mark_begin = "[[";
constexpr std::string_view mark_end = "]]";

std::string marked_thread(const std::string& text)
{
    const std::size_t begin = text.find(mark_begin);
    const std::size_t end = text.find(mark_end, begin);
    if (end == text.npos) return "nobody";
    return text.substr(begin + mark_begin.size(), end - begin - mark_begin.size());
}

std::string digest(const std::string& text) { return weft::hash_of(text, weft::hash_key{}).text().substr(0, 12); }

std::string text_of(const weft::chat_request& request)
{
    std::string all;
    for (const weft::message& one : request.messages) all.append(one.text()).append("\n");
    return all;
}

}  // namespace

weft::task<weft::chat_reply> telling_model::do_reply(weft::chat_request request, weft::chat_sink& sink)
{
    weft::chat_reply reply = reply_to(request);
    if (!reply.message.text().empty()) sink.on_text(reply.message.text());
    co_return reply;
}

weft::chat_reply telling_model::reply_to(const weft::chat_request& request) const
{
    const std::string heard = text_of(request);
    const std::string what = digest(without_marks(heard));
    const std::string thread = marked_thread(heard);
    notes_->note({"effect", thread, name_ + "." + what, request.call_id});
    const auto said = static_cast<std::size_t>(
        std::count_if(request.messages.begin(), request.messages.end(),
                      [](const weft::message& one) { return one.role == weft::role::assistant; }));
    weft::chat_reply reply;
    reply.stop = weft::stop_reason::stop;
    reply.usage.input = weft::tokens{static_cast<std::int64_t>(request.messages.size())};
    reply.usage.output = weft::tokens{1};
    if (said >= tools_.size()) {
        const std::string told = name_ + " says " + what + thread_mark(thread);
        reply.message = weft::message::assistant(words_ ? words_(request, told) : told);
        return reply;
    }
    reply.message = weft::message::assistant("");
    for (const std::string& tool : tools_[said]) {
        weft::tool_call call;
        call.id = name_ + "-" + what + "-" + std::to_string(reply.message.tool_calls.size());
        call.name = tool;
        call.arguments = R"({"what": ")" + what + R"(", "thread": ")" + thread + R"("})";
        reply.message.tool_calls.push_back(std::move(call));
    }
    reply.stop = weft::stop_reason::tool_calls;
    return reply;
}

std::string thread_mark(const std::string& thread)
{
    return std::string{mark_begin} + thread + std::string{mark_end};
}

std::string without_marks(std::string text)
{
    for (std::size_t begin = text.find(mark_begin); begin != text.npos; begin = text.find(mark_begin, begin)) {
        const std::size_t end = text.find(mark_end, begin);
        if (end == text.npos) break;
        text.erase(begin, end + mark_end.size() - begin);
    }
    return text;
}

}  // namespace weft_crash

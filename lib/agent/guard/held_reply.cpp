#include "held_reply.hpp"

#include <weft/base/utf8.hpp>

#include <algorithm>
#include <utility>

namespace weft::agent_detail {

void holding_sink::open()
{
    if (std::exchange(is_open_, true)) return;
    for (const delta& one : std::exchange(held_, {})) tell(one.what, one.first, one.second, one.slot);
    bytes_ = 0;
    if (used_) target_.on_usage(*used_);
    opened_.notify();
}

void holding_sink::on_started(std::string_view id, std::string_view model) { take(kind::started, id, model); }

void holding_sink::on_tool_call(std::size_t slot, std::string_view id, std::string_view name)
{
    take(kind::tool_call, id, name, slot);
}

void holding_sink::on_tool_arguments(std::size_t slot, std::string_view piece)
{
    take(kind::tool_arguments, piece, {}, slot);
}

void holding_sink::on_usage(const usage& so_far)
{
    if (is_open_) target_.on_usage(so_far);
    else used_ = so_far;
}

void holding_sink::on_retracted()
{
    if (is_open_) return target_.on_retracted();
    held_.clear();  // it was never passed on
    bytes_ = 0;
}

bool holding_sink::is_full() const noexcept { return is_open_ ? target_.is_full() : bytes_ >= bytes_max_; }

task<> holding_sink::wait_for_room() { return is_open_ ? target_.wait_for_room() : wait_until_open(*this); }

task<> holding_sink::wait_until_open(holding_sink& self)
{
    while (!self.is_open_) co_await self.opened_.wait();
    if (self.target_.is_full()) co_await self.target_.wait_for_room();
}

void holding_sink::take(kind what, std::string_view first, std::string_view second, std::size_t slot)
{
    if (is_open_) return tell(what, first, second, slot);
    bytes_ += first.size() + second.size();
    const bool is_more = what != kind::started && what != kind::tool_call && !held_.empty() &&
                         held_.back().what == what && held_.back().slot == slot;
    if (is_more) held_.back().first.append(first);
    else held_.push_back({what, slot, std::string{first}, std::string{second}});
}

void holding_sink::tell(kind what, std::string_view first, std::string_view second, std::size_t slot)
{
    switch (what) {
    case kind::started: return target_.on_started(first, second);
    case kind::text: return target_.on_text(first);
    case kind::reasoning: return target_.on_reasoning(first);
    case kind::refusal: return target_.on_refusal(first);
    case kind::tool_call: return target_.on_tool_call(slot, first, second);
    case kind::tool_arguments: return target_.on_tool_arguments(slot, first);
    }
}

void piece_cutter::begin_anew()
{
    waiting_.clear();
    before_.clear();
    ++round_;
}

std::optional<reply_piece> piece_cutter::next()
{
    if (waiting_.empty() || (waiting_.size() < bytes_ && !has_ended_)) return std::nullopt;
    std::size_t size = waiting_.size();
    if (!has_ended_ || size > 2 * bytes_) {
        size = truncated_utf8(waiting_, std::min(size, std::max<std::size_t>(bytes_, 4))).size();
        // Behind the last blank, so that no word is torn; a word that is longer is.
        const std::size_t blank = waiting_.find_last_of(" \t\r\n", size - 1);
        if (blank != std::string::npos) size = blank + 1;
        if (size == 0) size = waiting_.size();
    }
    reply_piece piece;
    piece.round = round_;
    piece.before = before_;
    piece.text = waiting_.substr(0, size);
    waiting_.erase(0, size);
    before_ += piece.text;
    if (before_.size() > before_max_) {
        std::size_t from = before_.size() - before_max_;
        while (from < before_.size() && (static_cast<unsigned char>(before_[from]) & 0xC0U) == 0x80U) ++from;
        before_.erase(0, from);
    }
    return piece;
}

void tell_whole(const chat_reply& reply, std::string_view said, chat_sink& sink)
{
    if (said.empty()) sink.on_started(reply.id, reply.model);
    const std::string reasoning = reply.message.reasoning();
    if (!reasoning.empty()) sink.on_reasoning(reasoning);
    const std::string text = reply.message.text();
    if (!said.empty() && text != said) sink.on_retracted();
    if (text != said && !text.empty()) sink.on_text(text);
    const std::string refusal = reply.message.refusal();
    if (!refusal.empty()) sink.on_refusal(refusal);
    for (std::size_t slot = 0; slot < reply.message.tool_calls.size(); ++slot) {
        const tool_call& call = reply.message.tool_calls[slot];
        sink.on_tool_call(slot, call.id, call.name);
        sink.on_tool_arguments(slot, call.arguments);
    }
}

}  // namespace weft::agent_detail

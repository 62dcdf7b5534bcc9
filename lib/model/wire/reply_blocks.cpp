#include "reply_blocks.hpp"

#include "finished_calls.hpp"

#include <weft/base/text/ascii_text.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

// Beyond what models send; a stream of empty blocks must end somewhere, which the limits of bytes do not see.
constexpr std::size_t blocks_max = 4096;

}  // namespace

reply_blocks::reply_blocks(const reply_limits& limits) noexcept
    : limits_{limits}, text_{limits.text_bytes_max, "the reply is"},
      arguments_{limits.argument_bytes_max, "the arguments of the tool calls are"}
{
}

reply_block& reply_blocks::add(kind what, std::int64_t index)
{
    if (blocks_.size() >= blocks_max)
        throw reply_refused{errc::response_too_large,
                            "more than " + std::to_string(blocks_max) + " blocks in one reply"};
    reply_block& block = blocks_.emplace_back();
    block.what = what;
    block.index = index;
    return block;
}

reply_block& reply_blocks::add_call(std::string_view id, std::string_view name, chat_sink& sink, std::int64_t index)
{
    if (calls_ >= limits_.tool_calls_max)
        throw reply_refused{errc::response_too_large,
                            "more than " + std::to_string(limits_.tool_calls_max) + " tool calls in one reply"};
    // Ids and names count as well: they are as long as an endpoint makes them.
    arguments_.take(id.size() + name.size());
    reply_block& block = add(kind::call, index);
    block.call.id = id;
    block.call.name = name;
    block.slot = calls_++;
    // Without a name there is nothing to deliver; `move_calls` decides what becomes of it.
    if (name.empty()) return block;
    has_delivered_ = true;
    sink.on_tool_call(block.slot, id, name);
    return block;
}

void reply_blocks::append(reply_block& block, std::string_view piece, chat_sink& sink)
{
    // Characters that are cut between two pieces are held back until they are whole.
    piece = block.words.seams.join(piece);
    if (piece.empty()) return;
    (block.what == kind::call ? arguments_ : text_).take(piece.size());
    block.words.text.append(piece);
    if (block.what == kind::other || (block.what == kind::call && block.call.name.empty())) return;
    has_delivered_ = true;
    if (block.what == kind::text)
        sink.on_text(piece);
    else if (block.what == kind::reasoning)
        sink.on_reasoning(piece);
    else
        sink.on_tool_arguments(block.slot, piece);
}

void reply_blocks::end(reply_block& block, chat_sink& sink)
{
    const std::string rest{block.words.seams.end()};
    append(block, rest, sink);
}

void reply_blocks::end_all(chat_sink& sink)
{
    for (reply_block& block : blocks_) end(block, sink);
}

void reply_blocks::sign(reply_block& block, std::string_view signature)
{
    text_.take(signature.size());
    block.signature = signature;
}

json::value reply_blocks::kept(json::value copy)
{
    // It counts as text: it stays in the conversation as long as the message does.
    text_.take(json::serialize(copy).size());
    remove_halves(copy);
    return copy;
}

reply_block* reply_blocks::find(std::int64_t index) noexcept
{
    // From the end: some endpoints use an index again, and what comes is for the newest block.
    const auto found = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                    [index](const reply_block& block) { return block.index == index; });
    return found == blocks_.rend() ? nullptr : &*found;
}

std::vector<tool_call> reply_blocks::move_calls(bool was_cut, std::uint64_t id_seed,
                                                std::vector<std::string>& warnings)
{
    std::vector<tool_call> calls;
    for (reply_block& block : blocks_) {
        if (block.what != kind::call) continue;
        const std::string_view arguments = trimmed(block.words.text);
        if (block.call.name.empty() && arguments.empty()) {
            warnings.emplace_back("a tool call without name and arguments was dropped");
            continue;
        }
        if (block.call.name.empty()) throw reply_refused{errc::invalid_model_reply, "a tool call has no name"};
        // Of a reply that was cut, half a call must not be carried out; one that came whole may be.
        if (was_cut && !is_whole_object(arguments)) {
            warnings.push_back("a call of " + block.call.name + " was dropped: the reply was cut in its arguments");
            continue;
        }
        block.place = calls.size();
        block.call.arguments = arguments.empty() ? "{}" : std::move(block.words.text);
        calls.push_back(std::move(block.call));
    }
    give_own_ids(calls, id_seed, warnings);
    return calls;
}

void reply_blocks::copy_content(message& out) const
{
    for (const reply_block& block : blocks_) {
        const std::string& text = block.words.text;
        if (block.what == kind::text && !text.empty()) out.content.emplace_back(text_part{text});
        if (block.what == kind::reasoning && !(text.empty() && block.signature.empty()))
            out.content.emplace_back(reasoning_part{text, block.signature});
    }
}

}  // namespace weft::model_detail

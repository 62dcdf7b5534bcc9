#include "llm_stream.hpp"

#include <weft/async/scope.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/streaming.hpp>
#include <weft/model/chat/piece_buffer.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::agent_detail {

namespace {

/** The text of a node as it comes. What it wrote in the end is what counts: a reply that comes from the journal is
 *  heard as a whole, and one that was begun anew is void for those that have read of it. */
async_generator<std::string> text_as_it_comes(const llm_node& work, node_context& node, any_state_key key)
{
    piece_buffer buffer;
    std::string told;
    scope asking{node.context()};
    asking.spawn(fill(buffer, work.tell(node, buffer)));
    for (;;) {
        while (buffer.waits()) co_await buffer.filled();
        if (!buffer.has_piece()) break;
        std::string piece = buffer.take();
        told += piece;
        co_yield piece;
    }
    co_await asking.join();
    const std::string whole = unboxed<std::string>(*node.value_at(node.layout().find(key.name, key.hash)));
    if (buffer.is_void() || !whole.starts_with(told)) throw stream_retracted{node.node()};
    std::string rest = whole.substr(told.size());
    if (!rest.empty()) co_yield rest;
}

class llm_stream final : public stream_body {
public:
    llm_stream(llm_node node, any_state_key key) : stream_body{std::nullopt, key}, node_{std::move(node)} {}

    std::unique_ptr<running_stream> open(node_context& node, running_stream*) const override
    {
        return std::make_unique<typed_stream<std::string>>(text_as_it_comes(node_, node, *gives()));
    }
    task<void> read(node_context&, running_stream&) const override { return {}; }
    std::unique_ptr<running_stream> recorded(const value_box&) const override { return nullptr; }
    bool keeps_whole() const noexcept override { return true; }
    node_task make(node_context& node) const override { return node_task{node_(node)}; }
    bool describe(node_spec& into, const state_layout& keys) const override { return node_.describe(into, keys); }
    std::optional<std::vector<std::string>> written_keys(const state_layout& keys) const override
    {
        return node_.written_keys(keys);
    }
    std::vector<std::string> mistakes(const state_layout& keys) const override { return node_.mistakes(keys); }

private:
    llm_node node_;
};

}  // namespace

std::shared_ptr<const node_body> make_llm_body(llm_node node, const state_layout& keys)
{
    if (const std::optional<any_state_key> text = node.text_key(keys))
        return std::make_shared<const llm_stream>(std::move(node), *text);
    return make_node_body(std::move(node));
}

}  // namespace weft::agent_detail

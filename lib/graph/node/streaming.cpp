#include <weft/graph/streaming.hpp>

#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>

#include <string>

namespace weft {

stream_retracted::stream_retracted(std::string_view node)
    : error{errc::invalid_model_reply, "node '" + std::string{node} + "'",
            "its stream is void, for it began anew after pieces had been read: read the whole"}
{
}

task<void> stream_body::run_alone(const stream_body& self, node_context& node)
{
    std::unique_ptr<running_stream> in;
    if (self.reads_) {
        const std::uint32_t slot = node.layout().require(*self.reads_, node.node());
        node.require_readable(slot);
        const value_ptr whole = node.value_at(slot);
        if (!whole)
            throw error{errc::missing_state_value, "node '" + std::string{node.node()} + "'",
                        "the stream '" + std::string{self.reads_->name} +
                            "' has left nothing in the state: its writer comes before this node"};
        in = self.recorded(*whole);
    }
    if (!self.gives_) co_return co_await self.read(node, *in);
    const std::unique_ptr<running_stream> out = self.open(node, in.get());
    const std::uint32_t slot = node.layout().find(self.gives_->name, self.gives_->hash);
    if (slot != state_layout::none) out->record();
    co_await out->drain();
    if (slot != state_layout::none) node.write({slot, false, false, out->take_whole()});
}

}  // namespace weft

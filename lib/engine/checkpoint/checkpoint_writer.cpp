#include <weft/engine/checkpoint/checkpoint_writer.hpp>

#include "checkpoint_encoder.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <utility>

namespace weft {

namespace checkpoint_detail {

void know_frame(const frontier& where, const graph& of, linked_reader from, value_encoder& values,
                frame_memory& memory)
{
    memory.is_used = true;
    while (const auto section = from.next_section()) {
        linked_reader part = from.inside(section->bytes, "checkpoint");
        switch (static_cast<frame_section>(section->tag)) {
        case frame_section::state: {
            const state& known = where.root->root();
            for (std::size_t left = part.count("the number of values"); left > 0; --left) {
                const auto slot = static_cast<std::uint32_t>(part.number_up_to(of.layout()->size() - 1, "a key"));
                const value_form form = read_form(part);
                values.know(known.at(slot), form);
            }
            break;
        }
        case frame_section::path:
            memory.path_tree = list_tree::read(part);
            if (memory.path_tree.size() == where.path.size())
                memory.path = where.path;
            else
                memory.path_tree = list_tree{};
            break;
        case frame_section::inner:
            for (std::size_t left = part.count("the number of graphs in nodes"); left > 0; --left) {
                const auto branch = static_cast<branch_index>(part.number());
                const auto frame = part.next_section();
                if (!frame) part.refuse("a graph in a node is missing");
                if (!where.extras || branch >= where.branches.size()) continue;
                if (where.branches[branch].node >= of.size()) continue;
                const graph_node& node = of.node(where.branches[branch].node);
                const subgraph* const inner = node.body ? node.body->inner() : nullptr;
                for (const auto& [at, inside] : where.extras->inner) {
                    if (at != branch || !inner) continue;
                    auto& its_memory = memory.inner[branch];
                    its_memory = std::make_unique<frame_memory>();
                    know_frame(*inside, inner->graph, part.inside(frame->bytes, "checkpoint, graph in a node"),
                               values, *its_memory);
                }
            }
            break;
        default: break;
        }
    }
}

}  // namespace checkpoint_detail

checkpoint_writer::checkpoint_writer(graph of, const hash_key& key)
    : checkpoint_writer{std::make_shared<const graph_table>(std::move(of)), key}
{
}

checkpoint_writer::checkpoint_writer(std::shared_ptr<const graph_table> of, const hash_key& key)
    : encoder_{std::make_unique<checkpoint_detail::encoder>(std::move(of), key)}
{
}

checkpoint_writer::checkpoint_writer(checkpoint_writer&&) noexcept = default;
checkpoint_writer& checkpoint_writer::operator=(checkpoint_writer&&) noexcept = default;
checkpoint_writer::~checkpoint_writer() = default;

void checkpoint_writer::know(const frontier& where, const checkpoint& as) { encoder_->know(where, as); }
bool checkpoint_writer::prepare(const frontier& where) { return encoder_->prepare(where); }
checkpoint_draft checkpoint_writer::write(const frontier& where) { return encoder_->write(where); }
void checkpoint_writer::written() { encoder_->written(); }

bool checkpoint_writer::drop_some() noexcept { return encoder_->drop_some(); }

}  // namespace weft

#include <weft/engine/run_result.hpp>

namespace weft {

std::vector<std::string_view> run_result::path() const
{
    std::vector<std::string_view> names;
    names.reserve(path_.size());
    path_.for_each([&](node_index n) { names.push_back(graph_->name_of(n)); });
    return names;
}

std::uint32_t run_result::visits_of(std::string_view node) const
{
    const node_index n = graph_ ? graph_->find(node) : no_node;
    return n < visits_.size() ? visits_[n] : 0;
}

std::string run_result::message() const { return why ? why->message : std::string{name_of(status)}; }

}  // namespace weft

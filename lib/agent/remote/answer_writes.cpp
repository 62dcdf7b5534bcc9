#include "answer_writes.hpp"

#include "agent/node/kind_checks.hpp"
#include "agent/text/names.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <utility>

namespace weft::agent_detail {

namespace {

/** The writes of one answer, made before the first of them counts. */
class answer_reader {
public:
    explicit answer_reader(node_context& node) : node_{node} {}

    void add(std::string_view key, const boost::json::value& value)
    {
        const std::uint32_t slot = node_.layout().find(key);
        if (slot == state_layout::none)
            return complain("'" + std::string{key} + "' is no key of the graph" +
                            known_names(key, node_.layout().names()));
        if (!node_.may_write(slot))
            return complain("the node's writes do not name '" + std::string{key} + "'");
        const value_type& type = *node_.layout()[slot].type->update;
        if (!type.from_json) return complain("the key '" + std::string{key} + "' is transient and takes no JSON");
        try {
            writes_.push_back({slot, false, false, type.from_json(value)});
        } catch (const error& e) {
            complain("'" + std::string{key} + "' does not fit its key: " + e.detail());
        }
    }
    void complain(std::string fault) { faults_.append(faults_.empty() ? "" : "; ").append(std::move(fault)); }

    void finish(std::string_view whose)
    {
        if (!faults_.empty())
            throw error{errc::invalid_output, "node '" + std::string{node_.node()} + "'",
                        "the answer of " + std::string{whose} + " cannot be written: " + faults_};
        for (state_write& write : writes_) node_.write(std::move(write));
    }

private:
    node_context& node_;
    std::vector<state_write> writes_;
    std::string faults_;
};

/** The keys that a node without `reads` sends. */
std::vector<std::string> keys_to_send(const node_context& node, const answer_target& answer)
{
    std::vector<std::string> keys;
    for (std::uint32_t slot = 0; slot < node.layout().size(); ++slot) {
        const state_layout::slot& key = node.layout()[slot];
        const bool is_answer = contains(answer.writes, key.name) || key.name == answer.into;
        if (!is_answer && !key.type->is_transient && node.may_read(slot) && slot != node.conversation_slot())
            keys.emplace_back(key.name);
    }
    return keys;
}

}  // namespace

answer_target answer_target_of(node_request& request, const std::string& into)
{
    answer_target keys{into, written_keys(request)};
    if (into.empty()) return keys;
    const std::uint32_t slot = request.layout().find(into);
    if (slot == state_layout::none) request.require_readable("into", into);
    else if (!request.layout()[slot].type->update->from_json)
        request.mistake("into", "the key '" + into + "' is transient and takes no JSON: name another one");
    else require_written(request, "into", into);
    return keys;
}

void write_answer(node_context& node, const answer_target& keys, const boost::json::value& answer,
                  std::string_view whose)
{
    answer_reader reader{node};
    if (!keys.into.empty()) reader.add(keys.into, answer);
    else if (const boost::json::object* const members = answer.if_object())
        for (const auto& [key, value] : *members) reader.add(key, value);
    else if (!answer.is_null()) {
        if (keys.writes.size() == 1) reader.add(keys.writes.front(), answer);
        else
            reader.complain("it is no object with keys of the graph as members: name one key in \"writes\", or say in "
                            "\"into\" which key gets it");
    }
    reader.finish(whose);
}

boost::json::object object_of_reads(const node_context& node, const std::optional<std::vector<std::string>>& reads,
                                    const answer_target& answer)
{
    boost::json::object values;
    for (const std::string& key : reads ? *reads : keys_to_send(node, answer)) {
        const std::uint32_t slot = node.layout().find(key);
        if (slot == state_layout::none) continue;  // told when the file was read
        const value_ptr& value = node.value_at(slot);
        if (value && value->type().to_json) values.emplace(key, value->type().to_json(*value));
    }
    return values;
}

}  // namespace weft::agent_detail

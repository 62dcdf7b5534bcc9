#include "frame_value_reader.hpp"

#include "engine/value/checkpoint_format.hpp"
#include "failure_record.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <exception>

namespace weft::checkpoint_detail {

const frame_names::node* frame_value_reader::old_node(linked_reader& from) const
{
    const std::uint64_t code = from.number();
    if (code < 2) return nullptr;
    if (code - 2 >= names_.nodes().size()) from.refuse("a node is beyond those of the graph");
    return &names_.nodes()[static_cast<std::size_t>(code - 2)];
}

node_index frame_value_reader::node(linked_reader& from) const
{
    linked_reader ahead = from;
    const bool is_end = ahead.number() == 1;
    const frame_names::node* const old = old_node(from);
    return old ? old->now : is_end ? end_node : no_node;
}

node_index frame_value_reader::needed_node(linked_reader& from, std::string_view why)
{
    linked_reader ahead = from;
    const frame_names::node* const old = old_node(ahead);
    const node_index now = node(from);
    if (now != lost_node) return now;
    add_problem(graph_change::kind::node_removed, old->old_name,
            "it is gone, and " + std::string{why} + "; bring it back, or register a migration that renames it");
    return start_node;
}

const frame_names::key& frame_value_reader::key(linked_reader& from) const
{
    const std::uint64_t index = from.number();
    if (index >= names_.keys().size()) from.refuse("a key is beyond those of the graph");
    return names_.keys()[static_cast<std::size_t>(index)];
}

value_ptr frame_value_reader::value(linked_reader& from, const frame_names::key& key, role as)
{
    using fate = frame_names::key::fate;
    // What is dropped is read all the same, since the next value stands behind it.
    const auto skip = [&from] { return read_form(from).tag != value_tag::nothing; };
    if (key.what == fate::dropped) return static_cast<void>(skip()), nullptr;
    if (key.what == fate::lost) {
        if (skip())
            add_problem(graph_change::kind::key_removed, key.old_name,
                    "it is gone, and has a value; bring it back, or register a migration that drops or renames it");
        return nullptr;
    }
    const key_type& type = *(*of_.layout())[key.slot].type;
    const value_type& wanted = as == role::update ? *type.update : *type.value;
    try {
        if (!wanted.from_json) throw error{errc::state_conversion, "", "its type is not stored any more"};
        return key.rules.empty() ? with_.values.read(from, wanted) : converted(from, key, as);
    } catch (const std::exception& wrong) {
        const auto* const known = dynamic_cast<const error*>(&wrong);
        // Damage is no matter of types: no migration could mend it.
        if (known && known->code() == errc::store_corrupt) throw;
        add_problem(graph_change::kind::value_refused, key.old_name,
                "its value does not fit any more: " + std::string{wrong.what()} +
                    "; change the type back, or register a migration that converts it");
    }
    return nullptr;
}

value_ptr frame_value_reader::converted(linked_reader& from, const frame_names::key& key, role as)
{
    boost::json::value json;
    if (!with_.values.read_json(from, json)) return nullptr;
    for (const graph_migration::key_rule* const rule : key.rules) {
        const auto& convert = as == role::update ? rule->convert_update : rule->convert;
        if (convert) json = convert(json);
    }
    const key_type& type = *(*of_.layout())[key.slot].type;
    return (as == role::update ? type.update : type.value)->from_json(json);
}

branch_state::entries frame_value_reader::entries(linked_reader& from)
{
    branch_state::entries all;
    for (std::size_t left = from.count("the number of keys"); left > 0; --left) {
        const frame_names::key& its_key = key(from);
        branch_state::entry e{its_key.slot, from.number_up_to(entry_is_overwrite, "a flag") != 0, 0, nullptr, {}};
        if (e.is_overwrite) {
            e.folded = from.number32("the number of updates");
            e.visible = value(from, its_key, role::value);
        }
        for (std::size_t updates = from.count("the number of updates"); updates > 0; --updates) {
            if (its_key.has_other_reducer)
                add_problem(graph_change::kind::reducer_changed, its_key.old_name,
                        "its reducer has changed, and branches have updates for it; change it back until they have "
                        "met");
            e.updates.push_back(value(from, its_key, role::update));
            if (!e.updates.back() && its_key.what == frame_names::key::fate::kept && !has_problems_)
                from.refuse("an update is missing");
        }
        if (e.folded > e.updates.size()) from.refuse("more updates are folded than there are");
        if (its_key.what == frame_names::key::fate::kept) all.push_back(std::move(e));
    }
    return all;
}

write_set frame_value_reader::writes(linked_reader& from)
{
    write_set all;
    for (std::size_t left = from.count("the number of writes"); left > 0; --left) {
        const frame_names::key& its_key = key(from);
        const std::uint64_t flags = from.number_up_to(entry_is_overwrite | write_is_published, "the flags of a write");
        const bool is_overwrite = (flags & entry_is_overwrite) != 0;
        value_ptr written = value(from, its_key, is_overwrite ? role::value : role::update);
        const bool is_kept = its_key.what == frame_names::key::fate::kept;
        if (is_kept && !written && !is_overwrite && !has_problems_ &&
            (*of_.layout())[its_key.slot].type->has_reducer)
            from.refuse("an update is missing");
        if (is_kept)
            all.push_back({its_key.slot, is_overwrite, (flags & write_is_published) != 0, std::move(written)});
    }
    return all;
}

void frame_value_reader::read_failures(linked_reader from)
{
    for (std::size_t left = from.count("the number of failures"); left > 0; --left)
        read_item(from, "checkpoint, failure", with_.values,
                  [this](const linked_reader& part) { failures_.push_back(read_failure(part)); });
    from.require_end();
}

failure_ptr frame_value_reader::failure(linked_reader& from) const
{
    const std::uint64_t number = from.number_up_to(failures_.size(), "a failure");
    return number == 0 ? nullptr : failures_[static_cast<std::size_t>(number - 1)];
}

void frame_value_reader::add_problem(graph_change::kind what, std::string_view name, std::string detail)
{
    has_problems_ = true;
    graph_change change{what, prefix_ + std::string{name}, std::move(detail), true};
    // A key has its problem once, however many branches have a value for it.
    const bool is_known = std::any_of(with_.problems.begin(), with_.problems.end(), [&](const graph_change& known) {
        return known.what == change.what && known.name == change.name;
    });
    if (!is_known) with_.problems.push_back(std::move(change));
}

}  // namespace weft::checkpoint_detail

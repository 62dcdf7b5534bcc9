#include <weft/graph/state/state.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/joined_text.hpp>
#include <weft/graph/state/finite_value.hpp>

#include <utility>

namespace weft {

state::state(std::shared_ptr<const state_layout> layout) : layout_{std::move(layout)}
{
    for (std::uint32_t slot = 0; slot < layout_->size(); ++slot)
        if (const value_ptr& initial = (*layout_)[slot].initial) writable(slot) = initial;
}

void state::make_slots() { values_ = value_tree{layout_->size()}; }

boost::json::object state::to_json() const
{
    boost::json::object result;
    const state_layout& keys = layout();
    for (std::uint32_t slot = 0; slot < keys.size(); ++slot) {
        const value_ptr& value = at(slot);
        const state_layout::slot& key = keys[slot];
        if (!value || key.type->is_transient) continue;
        try {
            result.emplace(key.name, key.type->value->to_json(*value));
        } catch (const std::exception& e) {
            throw error{errc::state_conversion, "key '" + key.name + "'", e.what()};
        }
    }
    return result;
}

void state::assign_json(const boost::json::object& values)
{
    for (const auto& [name, json] : values) {
        const std::uint32_t slot = layout().find(name);
        if (slot == state_layout::none || (*layout_)[slot].type->is_transient) {
            throw error{errc::unknown_state_key, "key '" + std::string{name} + "'",
                        "the graph declares: " + joined_text(layout().names())};
        }
        try {
            value_ptr value = (*layout_)[slot].type->value->from_json(json);
            require_finite(value, (*layout_)[slot]);
            writable(slot) = std::move(value);
        } catch (const error& e) {
            if (e.code() == errc::state_conversion) throw;
            throw error{errc::state_conversion, "key '" + std::string{name} + "'", e.what()};
        } catch (const std::exception& e) {
            throw error{errc::state_conversion, "key '" + std::string{name} + "'", e.what()};
        }
    }
}

const state_layout& state::no_keys() noexcept
{
    static const state_layout none;
    return none;
}

void state::refuse_missing(std::string_view key)
{
    throw error{errc::missing_state_value, "key '" + std::string{key} + "'",
                "give it with the run's input, write it in an earlier node, or use find or value_or"};
}

}  // namespace weft

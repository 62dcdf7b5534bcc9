#pragma once

#include <weft/graph/state/state_layout.hpp>
#include <weft/graph/state/value_tree.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace weft {

/** The values of a graph's keys at one moment. Copying shares everything; a write after a copy leaves the copy alone.
 *
 *  @par Thread safety   As a value; copies may be read on different OS threads.
 */
class state {
public:
    /** Of no graph: it has no value, whatever key is asked for. */
    state() = default;
    /** With the initial values of the keys. */
    explicit state(std::shared_ptr<const state_layout> layout);

    /** The value of a key, or null if it has none.
     *  @par Errors  `unknown_state_key`, `state_type_mismatch`. */
    template <class T, class R>
    [[nodiscard]] const T* find(const state_key<T, R>& key) const
    {
        if (!layout_) return nullptr;
        const value_box* box = at(layout_->require(key, "state")).get();
        return box ? &unboxed<T>(*box) : nullptr;
    }

    /** The value of a key.
     *  @par Errors  `missing_state_value` besides those of `find`. */
    template <class T, class R>
    [[nodiscard]] const T& get(const state_key<T, R>& key) const
    {
        const T* found = find(key);
        if (!found) refuse_missing(key.name());
        return *found;
    }

    /** All values that are not transient, as a JSON object by key name.
     *  @par Errors  `state_conversion` names the key and the path. */
    [[nodiscard]] boost::json::object to_json() const;

    /** Takes values from a JSON object whose members are keys of the graph.
     *  @par Errors  `unknown_state_key` lists the keys there are; `state_conversion` names the key and the path. */
    void assign_json(const boost::json::object& values);

    [[nodiscard]] const state_layout& layout() const noexcept { return layout_ ? *layout_ : no_keys(); }
    /** Null if it is of no graph. */
    [[nodiscard]] const std::shared_ptr<const state_layout>& shared_layout() const noexcept { return layout_; }
    [[nodiscard]] const value_ptr& at(std::uint32_t slot) const noexcept { return values_[slot]; }
    /** The place of a value, for writing; no copy of this state sees what is written there. */
    [[nodiscard]] value_ptr& writable(std::uint32_t slot)
    {
        if (!values_.has_slots()) make_slots();
        return values_.writable(slot);
    }

    [[noreturn]] static void refuse_missing(std::string_view key);

private:
    [[nodiscard]] static const state_layout& no_keys() noexcept;
    void make_slots();

    std::shared_ptr<const state_layout> layout_;
    value_tree values_;  // without slots until the first value: many runs neither begin with one nor write one
};

}  // namespace weft

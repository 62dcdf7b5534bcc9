#pragma once

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/state_key.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** A key that an event loop gives a value to, by the tool `set_output`. */
struct event_loop_output {
    std::string name = {};
    std::string description = {};  ///< For the model.
    bool is_nullable = false;      ///< The loop may end without it.
    boost::json::object schema = {};  ///< JSON Schema of its value, for the model; empty: anything.
    /** What is wrong with a value, for the model; empty if nothing is. Null: anything fits. */
    std::function<std::string(const boost::json::value&)> fault_of = {};
};

/** A key of a graph as an output: a value fits if it converts to an update of the key. */
template <class T, class R>
[[nodiscard]] event_loop_output output_of(const state_key<T, R>& key, std::string description = {})
{
    event_loop_output made;
    made.name = key.name();
    made.description = std::move(description);
    made.schema = value_type_of<typename state_key<T, R>::update_type>.schema();
    made.fault_of = [](const boost::json::value& value) -> std::string {
        try {
            (void)from_json<typename state_key<T, R>::update_type>(value);
        } catch (const error& e) {
            return e.where().empty() ? e.detail() : e.where() + ": " + e.detail();
        }
        return {};
    };
    return made;
}

/** The same for a key that the loop may leave without value. */
template <class T, class R>
[[nodiscard]] event_loop_output nullable_output_of(const state_key<T, R>& key, std::string description = {})
{
    event_loop_output made = output_of(key, std::move(description));
    made.is_nullable = true;
    return made;
}

/** The outputs that are required and have no value, in their order. */
[[nodiscard]] std::vector<std::string> missing_outputs(const std::vector<event_loop_output>& declared,
                                                       const boost::json::object& set);

}  // namespace weft

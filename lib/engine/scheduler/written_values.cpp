#include <weft/engine/scheduler/written_values.hpp>

#include <weft/base/error.hpp>

#include <exception>
#include <string>

namespace weft {

boost::json::object written_values::writes() const
{
    boost::json::object result;
    for (const state_write& write : writes_) {
        const state_layout::slot& key = state_.layout()[write.slot];
        if (!write.value || key.type->is_transient) continue;
        try {
            boost::json::value value = write.value->type().to_json(*write.value);
            const auto [place, is_first] = result.emplace(key.name, nullptr);
            const bool is_item = !write.is_overwrite && key.type->value->list && !value.is_array();
            if (is_item) value = boost::json::array{std::move(value)};
            // What replaces the value makes what was written before it void.
            if (is_first || write.is_overwrite || !value.is_array() || !place->value().is_array())
                place->value() = std::move(value);
            else
                for (boost::json::value& item : value.get_array()) place->value().get_array().push_back(std::move(item));
        } catch (const std::exception& e) {
            throw error{errc::state_conversion, "key '" + key.name + "'", e.what()};
        }
    }
    return result;
}

}  // namespace weft

#include <weft/graph/state/written_values.hpp>

#include <weft/base/error.hpp>

#include <exception>
#include <string>

namespace weft {

namespace {

void add_all(boost::json::array& to, boost::json::array more)
{
    for (boost::json::value& item : more) to.push_back(std::move(item));
}

}  // namespace

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
                add_all(place->value().get_array(), std::move(value.get_array()));
        } catch (const std::exception& e) {
            throw error{errc::state_conversion, "key '" + key.name + "'", e.what()};
        }
    }
    return result;
}

}  // namespace weft

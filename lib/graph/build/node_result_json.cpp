#include "node_result_json.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include <boost/describe/class.hpp>

#include <algorithm>
#include <utility>

namespace weft::graph_detail {

namespace {

struct kept_write {
    std::string key = {};
    boost::json::value value = {};
    bool overwrites = false;
    bool publishes = false;
};
BOOST_DESCRIBE_STRUCT(kept_write, (), (key, value, overwrites, publishes))

struct kept_result {
    std::int64_t made_at_ms = 0;
    std::vector<kept_write> writes = {};
};
BOOST_DESCRIBE_STRUCT(kept_result, (), (made_at_ms, writes))

std::int64_t milliseconds_of(clock::system_time_point at)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

}  // namespace

std::optional<boost::json::value> write_result(const kept_node_result& result, const state_layout& keys,
                                               clock::system_time_point now)
{
    kept_result kept{milliseconds_of(now), {}};
    for (const kept_node_result::write& write : result.writes) {
        const key_type& type = *keys[keys.find(write.key)].type;
        const value_type& of = write.is_overwrite ? *type.value : *type.update;
        if (!of.to_json) return std::nullopt;
        kept.writes.push_back({write.key, of.to_json(*write.value), write.is_overwrite, write.is_published});
    }
    return to_json(kept);
}

std::optional<aged_result> read_result(const boost::json::value& kept, const state_layout& keys,
                                       clock::system_time_point now)
{
    try {
        const auto read = from_json<kept_result>(kept);
        auto result = std::make_shared<kept_node_result>();
        for (const kept_write& write : read.writes) {
            const std::uint32_t slot = keys.find(write.key);
            if (slot == state_layout::none) return std::nullopt;
            const key_type& type = *keys[slot].type;
            const value_type& of = write.overwrites ? *type.value : *type.update;
            if (!of.from_json) return std::nullopt;
            result->writes.push_back({write.key, write.overwrites, write.publishes, of.from_json(write.value)});
        }
        const std::int64_t age = std::max<std::int64_t>(milliseconds_of(now) - read.made_at_ms, 0);
        return aged_result{std::move(result), std::chrono::milliseconds{age}, to_json_text(kept).size()};
    } catch (const error&) {
        return std::nullopt;
    }
}

}  // namespace weft::graph_detail

#include "node_result_json.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include <boost/describe/class.hpp>

#include <algorithm>
#include <utility>

namespace weft::graph_detail {

namespace {

struct stored_write {
    std::string key = {};
    boost::json::value value = {};
    bool overwrites = false;
    bool publishes = false;
};
BOOST_DESCRIBE_STRUCT(stored_write, (), (key, value, overwrites, publishes))

struct stored_result {
    std::int64_t made_at_ms = 0;
    std::vector<stored_write> writes = {};
};
BOOST_DESCRIBE_STRUCT(stored_result, (), (made_at_ms, writes))

std::int64_t milliseconds_of(clock::system_time_point at)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

}  // namespace

std::optional<boost::json::value> write_result(const cached_node_result& result, const state_layout& keys,
                                               clock::system_time_point now)
{
    stored_result stored{milliseconds_of(now), {}};
    for (const cached_node_result::write& write : result.writes) {
        const key_type& type = *keys[keys.find(write.key)].type;
        const value_type& of = write.is_overwrite ? *type.value : *type.update;
        if (!of.to_json) return std::nullopt;
        stored.writes.push_back({write.key, of.to_json(*write.value), write.is_overwrite, write.is_published});
    }
    return to_json(stored);
}

std::optional<aged_result> read_result(const boost::json::value& stored, const state_layout& keys,
                                       clock::system_time_point now)
{
    try {
        const auto read = from_json<stored_result>(stored);
        auto result = std::make_shared<cached_node_result>();
        for (const stored_write& write : read.writes) {
            const std::uint32_t slot = keys.find(write.key);
            if (slot == state_layout::none) return std::nullopt;
            const key_type& type = *keys[slot].type;
            const value_type& of = write.overwrites ? *type.value : *type.update;
            if (!of.from_json) return std::nullopt;
            result->writes.push_back({write.key, write.overwrites, write.publishes, of.from_json(write.value)});
        }
        // The clock of another machine may be ahead: a result from the future is new, not older than time.
        const std::int64_t age = std::max<std::int64_t>(milliseconds_of(now) - read.made_at_ms, 0);
        return aged_result{std::move(result), std::chrono::milliseconds{age}, to_json_text(stored).size()};
    // A store outlives programs: what an earlier one wrote of a type that has changed is no result.
    } catch (const error&) {
        return std::nullopt;
    }
}

}  // namespace weft::graph_detail

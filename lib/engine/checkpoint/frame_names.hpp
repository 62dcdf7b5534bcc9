#pragma once

#include <weft/engine/checkpoint/graph_fingerprint.hpp>
#include <weft/engine/checkpoint/graph_migration.hpp>
#include <weft/graph/graph.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::checkpoint_detail {

/** A node that the graph does not have any more. */
inline constexpr node_index lost_node = 0xffff'fffd;

/** What the nodes and keys of a frame, which it names by their places in a shape, are in a graph. */
class frame_names {
public:
    struct key {
        enum class fate : std::uint8_t { kept, dropped, lost };
        std::string_view old_name;
        std::uint32_t slot = state_layout::none;   ///< If kept.
        fate what = fate::kept;
        bool has_other_reducer = false;
        std::vector<const graph_migration::key_rule*> rules = {};  ///< Applied one after the other.
    };
    struct node {
        std::string_view old_name;
        node_index now = lost_node;
        bool has_other_fan_out = false;            ///< Its policy, join or conflict strategy.
        const boost::json::object* inner = nullptr;  ///< The shape of the graph that it was; null if the same or none.
    };

    /** Of a graph that has not changed. */
    explicit frame_names(const graph& same);
    /** @par Errors     `store_corrupt` if it is no shape.
     *  @par Lifetimes  Everything outlives it. */
    frame_names(const boost::json::object& shape, const graph& now, const graph_migrations& by);

    [[nodiscard]] const std::vector<node>& nodes() const noexcept { return nodes_; }
    [[nodiscard]] const std::vector<key>& keys() const noexcept { return keys_; }
    [[nodiscard]] bool is_same_graph() const noexcept { return is_same_; }

private:
    void add_node(const boost::json::object& shape, const boost::json::object& now_shape, const graph& now,
                  const std::vector<const graph_migration*>& way);
    void add_key(const boost::json::object& shape, const boost::json::object& now_shape, const graph& now,
                 const std::vector<const graph_migration*>& way);

    std::vector<node> nodes_;
    std::vector<key> keys_;
    bool is_same_;
};

/** The objects of a list of a shape. @par Errors  `store_corrupt`. */
[[nodiscard]] std::vector<const boost::json::object*> parts_of_shape(const boost::json::object& shape,
                                                                     std::string_view list);
[[nodiscard]] std::string_view name_in_shape(const boost::json::object& part);
/** The shape that is stored. @par Errors  `store_corrupt`. */
[[nodiscard]] boost::json::object read_shape(std::string_view text);

}  // namespace weft::checkpoint_detail

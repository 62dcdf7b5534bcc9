#pragma once

#include <boost/json/value.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** How checkpoints of one graph become checkpoints of its successor, where names alone do not tell.
 *
 *      weft::graph_migrations by;
 *      by.add(weft::graph_migration{old_print, new_print}.rename_node("web", "search").drop_key("scratch"));
 *
 *  What it does not name stays as it is. It serves graphs within nodes as well, by their own fingerprints.
 *
 *  @par Thread safety   As a value; converters are called from wherever checkpoints are read.
 */
class graph_migration {
public:
    /** Makes the value of a key, as JSON, out of its old one. An exception refuses the checkpoint. */
    using converter = std::function<boost::json::value(const boost::json::value& old)>;

    /** @param from, to   Fingerprints of the graphs; see `graph_fingerprint`. */
    graph_migration(std::string from, std::string to);

    graph_migration& rename_node(std::string from, std::string to);
    graph_migration& rename_key(std::string from, std::string to);
    /** The values of a key are forgotten. */
    graph_migration& drop_key(std::string key);
    /** @param key       By its old name.
     *  @param convert   For whole values; a list comes as an array.
     *  @param update    For updates that wait for a join, if the key has a reducer; none: `convert`. */
    graph_migration& convert_key(std::string key, converter convert, converter update = nullptr);

    [[nodiscard]] const std::string& from() const noexcept { return from_; }
    [[nodiscard]] const std::string& to() const noexcept { return to_; }

    /** What becomes of a key. */
    struct key_rule {
        std::string name;             ///< The new one; empty: it is dropped.
        converter convert;            ///< Of values; null: as they are.
        converter convert_update;
    };
    [[nodiscard]] std::string_view new_node(std::string_view old) const noexcept;
    /** Null if it stays as it is. */
    [[nodiscard]] const key_rule* rule_of(std::string_view key) const noexcept;

private:
    key_rule& rule(std::string key);

    std::string from_;
    std::string to_;
    std::map<std::string, std::string, std::less<>> nodes_;
    std::map<std::string, key_rule, std::less<>> keys_;
};

/** Migrations by their fingerprints; one can lead on from where another ends.
 *
 *  @par Thread safety   As a value.
 */
class graph_migrations {
public:
    graph_migrations& add(graph_migration migration);

    /** The shortest way from one graph to another; empty if there is none.
     *  @par Lifetimes   Until the next `add`. */
    [[nodiscard]] std::vector<const graph_migration*> way(std::string_view from, std::string_view to) const;

    /** The fingerprints of the graphs from which a way leads to another one. */
    [[nodiscard]] std::vector<std::string> origins_of(std::string_view to) const;

    [[nodiscard]] bool is_empty() const noexcept;
    /** No migrations. */
    [[nodiscard]] static const graph_migrations& none() noexcept;

private:
    std::vector<graph_migration> all_;
};

}  // namespace weft

#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** What of a run a client wants to see, in the order of the frames of one event: what a node has written comes before
 *  the values behind it. */
enum class stream_mode : std::uint8_t {
    updates,
    messages_tuple,
    messages,
    custom,
    tasks,
    checkpoints,
    debug,
    events,
    values,
};
inline constexpr std::size_t stream_mode_count = 9;

inline constexpr std::array<std::string_view, stream_mode_count> stream_mode_names{
    "updates", "messages-tuple", "messages", "custom", "tasks", "checkpoints", "debug", "events", "values"};

/** A set of modes. */
class stream_modes {
public:
    [[nodiscard]] bool has(stream_mode mode) const noexcept { return (bits_ >> static_cast<unsigned>(mode) & 1u) != 0; }
    void add(stream_mode mode) noexcept
    {
        bits_ = static_cast<std::uint16_t>(bits_ | 1u << static_cast<unsigned>(mode));
    }
    [[nodiscard]] bool empty() const noexcept { return bits_ == 0; }
    friend bool operator==(const stream_modes&, const stream_modes&) = default;

private:
    std::uint16_t bits_ = 0;
};

/** The mode of that name. */
[[nodiscard]] std::optional<stream_mode> stream_mode_named(std::string_view name) noexcept;

/** The names of modes. */
[[nodiscard]] boost::json::array names_of(const stream_modes& modes);

/** What clients may say for `stream_mode`, as JSON Schema. */
[[nodiscard]] boost::json::object stream_modes_schema();

/** Reads `stream_mode` of a body: a name or a list of names.
 *  @param given   Null: only `otherwise`.
 *  @param place   What of the request it is, for messages.
 *  @par Errors    `http_error` 422, which lists the modes there are. */
[[nodiscard]] stream_modes read_stream_modes(const boost::json::value* given, stream_mode otherwise,
                                             std::string_view place);

}  // namespace weft::serve_detail

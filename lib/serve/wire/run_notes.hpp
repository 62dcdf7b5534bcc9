#pragma once

#include <boost/json/object.hpp>

#include <string_view>

namespace weft::serve_detail::run_notes {

// Members of a run's metadata that the server, or the engine, writes for itself. Clients neither see nor write them.

inline constexpr std::string_view own_prefix{"weft."};  ///< Of all their names but the first one.

inline constexpr std::string_view strategy{"multitask_strategy"};
inline constexpr std::string_view kind{"weft.kind"};      ///< `edit`: a change of the state, and no run.
inline constexpr std::string_view from{"weft.from"};      ///< The number of the checkpoint that it begins at.
inline constexpr std::string_view stream{"weft.stream"};  ///< The modes that its client has asked for.
inline constexpr std::string_view request{"weft.request"};  ///< By which a client of another protocol knows it.
inline constexpr std::string_view openai{"weft.openai"};  ///< What a response repeats of its request.
inline constexpr std::string_view mcp{"weft.mcp"};        ///< The call of a tool that began it.

// Members of a thread's metadata, likewise.

inline constexpr std::string_view pending{"weft.pending"};  ///< Messages that wait for the first run.

/** Takes the notes away. */
void erase_own(boost::json::object& metadata);

}  // namespace weft::serve_detail::run_notes

#pragma once

#include <string_view>

namespace weft::serve_detail::run_notes {

// Members of a run's metadata that the server, or the engine, writes for itself. Clients do not see them.

inline constexpr std::string_view strategy{"multitask_strategy"};
inline constexpr std::string_view kind{"weft.kind"};      ///< `edit`: a change of the state, and no run.
inline constexpr std::string_view from{"weft.from"};      ///< The number of the checkpoint that it begins at.
inline constexpr std::string_view stream{"weft.stream"};  ///< The modes that its client has asked for.
inline constexpr std::string_view mcp{"weft.mcp"};        ///< The call of a tool that began it.

}  // namespace weft::serve_detail::run_notes

#pragma once

#include <weft/base/chrono.hpp>
#include <weft/store/item_space.hpp>
#include <weft/tool/tool_set.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace weft {

/** What the memory tools work on, and how much they give back. What goes in is bounded by the memory itself:
 *  `graph_memory`, `item_space::limited`. */
struct memory_tools_options {
    memory_tools_options() {}

    /** Null: that of the node that calls, `node_context::memory`. */
    std::shared_ptr<const item_space> space = {};
    std::optional<std::chrono::milliseconds> keep_for = {};  ///< Of what is remembered; nothing: as the memory says.
    std::size_t recalled_max = 10;          ///< Items of one answer, if the model asks for more or says nothing.
    std::size_t recalled_bytes_max = 16'384;  ///< Of one answer; what is too much is left out, and said.
    std::size_t scanned_max = 1'000;        ///< Items that one search looks at.
    bool may_write = true;                  ///< False: only `recall`.
};

/** Adds `remember`, `recall` and `forget`: long-term memory for a model, beyond its conversation, its run and its
 *  thread. What one conversation remembers another one recalls that has the same namespace.
 *
 *  `remember` keeps a text under a name, in place of what had this name; without a name under one that follows from
 *  the text, so that a fact is kept once. `recall` finds by words and by the beginning of names; `forget` removes one.
 *
 *  @par Errors   Of a call, as its result for the model: there is no memory (`errc::invalid_configuration`), it is full
 *                or the text is too long (`errc::limit_reached`), and those of the store.
 *  @par Example  samples/24_memory.cpp [tools] */
void add_memory_tools(tool_set& tools, memory_tools_options options = {});

}  // namespace weft

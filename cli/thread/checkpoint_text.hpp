#pragma once

#include "terminal/console.hpp"

#include <weft/engine/checkpoint/checkpoint_outline.hpp>
#include <weft/engine/checkpoint/thread_snapshot.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/journal.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace weft_cli {

/** What is known of a checkpoint, for programs; members without a value are left out. */
[[nodiscard]] boost::json::object to_json(const weft::checkpoint_info& info);
/** The same with where it stands: `next`, `visits`, `retries`, `unfinished`. */
[[nodiscard]] boost::json::object to_json(const weft::checkpoint_info& info, const weft::checkpoint_outline& outline);

/** What an `edit`, `node_complete`, … is about: `node_complete greet`. */
[[nodiscard]] std::string what_text(const weft::checkpoint_info& info);

/** What differs between two checkpoints, for programs. */
[[nodiscard]] boost::json::object to_json(const weft::snapshot_difference& difference);
/** The same for people, a line for each difference. */
[[nodiscard]] std::string difference_text(const weft::snapshot_difference& difference, const console::screen& screen);

/** What the journal of a thread knows of an effect, for programs: its outcome is not repeated. */
[[nodiscard]] boost::json::object to_json(const weft::effect_record& effect);

}  // namespace weft_cli

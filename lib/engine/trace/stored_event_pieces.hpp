#pragma once

#include <weft/engine/run_event.hpp>
#include <weft/graph/state/value_pieces.hpp>
#include <weft/graph/state/written_values.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace weft {

/** Writes the text of `stored_run_event` piece by piece: an event may have a state of megabytes.
 *
 *  @par Thread safety   None; it shares the values. */
class stored_event_pieces {
public:
    /** Takes an event, which is not needed any more; the one before is forgotten. */
    void begin(const run_event& event);
    /** Adds about `bytes` to the text. @return  True when it is complete. */
    [[nodiscard]] bool write(std::size_t bytes);
    [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }
    /** The text; the values are let go. */
    [[nodiscard]] std::string take() noexcept;

private:
    [[nodiscard]] bool begin_next();
    [[nodiscard]] bool begin_write();
    [[nodiscard]] bool begin_value();
    void end_value();

    std::shared_ptr<const written_values> written_;
    bool has_values_ = false;   // whether the whole state follows
    bool is_in_values_ = false;
    bool is_writing_ = false;
    bool has_members_ = false;  // of the list or object that is open
    bool had_members_ = false;  // before the value that is being written
    std::size_t begun_at_ = 0;  // where that begins
    std::size_t next_ = 0;      // a write, or a slot
    std::string text_;
    value_pieces value_;
};

}  // namespace weft

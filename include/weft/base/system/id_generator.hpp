#pragma once

#include <boost/describe/enum.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace weft {

class clock;
class random_source;

/** How ids are written. */
enum class id_form {
    uuid,        ///< `01890a5d-ac96-774b-bcce-b302099a8057`: version 7, in the order in which they were made.
    nanoseconds, ///< Since 1970, as a decimal number; each greater than the one before.
    timestamp,   ///< The same in microseconds.
    integer,     ///< From 0 to 2147483647 in no visible order; none twice until all were there.
    hex,         ///< 32 hexadecimal digits, random.
    short_text,  ///< 8 letters and digits, random: for people, and unique among a million or so.
    none,        ///< Empty: the store names the thing.
};
BOOST_DESCRIBE_ENUM(id_form, uuid, nanoseconds, timestamp, integer, hex, short_text, none)

/** Names things: threads, messages, runs. Programs may have their own.
 *
 *  @par Thread safety   `next` from any OS thread. */
class id_generator {
public:
    virtual ~id_generator() = default;

    /** Another id. */
    [[nodiscard]] virtual std::string next() = 0;

protected:
    id_generator() = default;
    id_generator(const id_generator&) = delete;
    id_generator& operator=(const id_generator&) = delete;
};

/** A generator of ids of one form. A clock that stands still and an equal seed give equal ids, in tests.
 *
 *  @par Lifetimes   Clock and random numbers outlive it; those of an execution context live as long as that.
 *  @par Source      Agentflow's id generators; where its numbers are random, ours are not drawn twice. */
[[nodiscard]] std::shared_ptr<id_generator> make_id_generator(id_form form, const clock& time, random_source& random);

/** The form of a name as written above, for settings.
 *  @par Errors   `errc::invalid_configuration`, listing the forms. */
[[nodiscard]] id_form id_form_of(std::string_view name);

}  // namespace weft

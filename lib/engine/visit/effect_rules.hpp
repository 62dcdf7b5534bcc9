#pragma once

#include <weft/base/error.hpp>
#include <weft/graph/node/effect.hpp>
#include <weft/store/record/journal.hpp>

#include <cstdint>
#include <exception>
#include <string>

namespace weft {

// What is to be done about an effect, decided from what the journal knows of it. Without I/O.

/** The next thing to do about an effect. */
enum class effect_step : std::uint8_t {
    begin,       ///< Write an intent down, then have the effect.
    give,        ///< Its outcome is known.
    rethrow,     ///< Its failure is known and counts.
    repeat,      ///< Have it again; its intent stands.
    query,       ///< Ask the other side whether it happened.
    compensate,  ///< Undo it, then have it again.
    ask,         ///< Ask a person.
    refuse,      ///< `errc::effect_in_doubt`.
};

/** @param last   The newest try in the journal; null if there is none. */
[[nodiscard]] effect_step next_step(const effect_record* last, const effect_options& options) noexcept;

/** Whether after a failure it is unknown if the effect happened: the call broke off, or its answer did not come. */
[[nodiscard]] bool leaves_doubt(errc code) noexcept;

/** Where a try of an effect is written down: the first at the effect's own address. A further one follows a try that
 *  surely had no effect, or that a person wants to be repeated. */
[[nodiscard]] std::string address_of_try(const std::string& effect, std::uint32_t number);

/** A failure as JSON text, and back; what is thrown again is a `weft::error`. */
[[nodiscard]] std::string failure_text(const std::exception_ptr& cause);
[[nodiscard]] error failure_from(const effect_record& failed);

/** The key that goes over the wire with an effect: a UUID, the same for every attempt at it and for no other effect.
 *  @par Source   RFC 9562, UUID version 5: SHA-1 of a name space and a name. */
[[nodiscard]] std::string idempotency_key(std::string_view scope, std::string_view effect);

}  // namespace weft

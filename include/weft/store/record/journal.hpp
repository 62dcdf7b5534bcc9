#pragma once

#include <weft/store/record/checkpoint.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** How an effect on the world stands. */
enum class effect_phase : std::uint8_t {
    intended,  ///< It was about to happen. After a crash it is unknown whether it did.
    done,      ///< It happened; `body` is its outcome.
    failed,    ///< It did not happen; `body` says why.
};

[[nodiscard]] std::string_view name_of(effect_phase phase) noexcept;

/** An effect in the journal of a thread. */
class effect_record {
public:
    effect_record() noexcept {}
    effect_record(std::string address, effect_phase phase, std::string key, std::string body)
        : address{std::move(address)}, phase{phase}, key{std::move(key)}, body{std::move(body)}
    {
    }

    std::string address;   ///< Unique in the thread: nodes with visits, the effect's name and its count in the visit.
    effect_phase phase = effect_phase::intended;
    std::string key;       ///< The idempotency key that goes over the wire; the same for every attempt.
    std::string body;      ///< JSON: of an intent what was asked, of a done one the outcome, of a failed one the error.
    std::int64_t epoch = 0;  ///< Who wrote it; set by the store.
};

/** How a question to a person stands. Consumed ones are dropped with the checkpoint that settles them. */
enum class question_phase : std::uint8_t { open, answered };

/** A question of a run, which waits for an answer from outside. */
class question_record {
public:
    question_record() noexcept {}
    question_record(std::string address, std::string question)
        : address{std::move(address)}, question{std::move(question)}
    {
    }

    std::string address;   ///< Unique in the thread: nodes with visits and the question's count in the visit.
    question_phase phase = question_phase::open;
    std::string question;  ///< JSON: the text, the kind of answer, its schema.
    std::string answer;    ///< JSON; once answered.
    wall_time asked;
    wall_time answered;
};

/** What became of an answer. */
enum class answer_state : std::uint8_t {
    accepted,
    already_answered,  ///< The first answer stands.
    unknown,           ///< No such question is open in the thread.
};

[[nodiscard]] std::string_view name_of(answer_state state) noexcept;

/** The part of an address before its first '/', which all questions of a run share; all of it if it has none. */
[[nodiscard]] std::string_view first_part_of(std::string_view address) noexcept;
/** Whether an address is `top`, or below it: "plan#1/charge#0" is below "plan#1". */
[[nodiscard]] bool is_at_or_below(std::string_view address, std::string_view top) noexcept;

}  // namespace weft

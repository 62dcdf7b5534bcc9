#include "passing_sink.hpp"

#include <exception>
#include <utility>

namespace weft::model_detail {

template <class Deliver>
void passing_sink::guard(Deliver deliver)
{
    try {
        deliver();
    } catch (...) {
        // What the target throws is no failure of the model: decorators must not try again because of it.
        has_thrown_ = true;
        throw;
    }
}

template <class Deliver>
void passing_sink::pass(std::string_view piece, Deliver deliver)
{
    if (!may_pass(piece)) return;
    // From here on the target has seen a part of the reply: another attempt would have to take it back.
    guard([&] {
        tell_of_beginning();
        has_passed_ = true;
        deliver();
    });
}

void passing_sink::tell_of_beginning()
{
    if (std::exchange(is_begun_, false)) target_.on_started(id_, model_);
}

void passing_sink::on_started(std::string_view id, std::string_view model)
{
    id_ = id;
    model_ = model;
    is_begun_ = true;
}

void passing_sink::on_text(std::string_view piece)
{
    if (!piece.empty()) pass(piece, [&] { target_.on_text(piece); });
}

void passing_sink::on_reasoning(std::string_view piece)
{
    if (!piece.empty()) pass(piece, [&] { target_.on_reasoning(piece); });
}

void passing_sink::on_refusal(std::string_view piece)
{
    if (!piece.empty()) pass(piece, [&] { target_.on_refusal(piece); });
}

void passing_sink::on_tool_call(std::size_t slot, std::string_view id, std::string_view name)
{
    pass(name, [&] { target_.on_tool_call(slot, id, name); });
}

void passing_sink::on_tool_arguments(std::size_t slot, std::string_view piece)
{
    if (!piece.empty()) pass(piece, [&] { target_.on_tool_arguments(slot, piece); });
}

void passing_sink::on_usage(const usage& so_far)
{
    // With what earlier attempts have used, which was paid as well.
    guard([&] { target_.on_usage(spent_ + so_far); });
}

void passing_sink::on_retracted()
{
    // What was held back or swallowed needs no taking back.
    if (std::exchange(has_passed_, false)) guard([&] { target_.on_retracted(); });
}

task<> passing_sink::wait_for_room()
{
    std::exception_ptr error;
    try {
        co_await target_.wait_for_room();
    } catch (...) {
        error = std::current_exception();
    }
    if (!error) co_return;
    has_thrown_ = true;
    std::rethrow_exception(error);
}

void passing_sink::begin_again(const usage& spent)
{
    // Not virtual: this sink begins again, whatever a derived one does when the model retracts.
    passing_sink::on_retracted();
    is_begun_ = false;
    spent_ = spent;
}

void passing_sink::finish()
{
    guard([&] { tell_of_beginning(); });
}

}  // namespace weft::model_detail

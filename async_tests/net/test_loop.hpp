#pragma once

#include <boost/test/unit_test.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <optional>
#include <utility>

/** A clock that stands still until it is moved. */
class hand_clock final : public weft::clock {
public:
    hand_clock() = default;
    /** One that also tells the date, from `begin` on. */
    explicit hand_clock(system_time_point begin) noexcept : date_{begin} {}

    [[nodiscard]] time_point now() const noexcept override { return now_; }
    [[nodiscard]] system_time_point system_now() const noexcept override { return date_.value_or(system_time_point{}); }
    void move(duration by) noexcept
    {
        now_ += by;
        if (date_) *date_ += std::chrono::duration_cast<system_time_point::duration>(by);
    }

private:
    std::optional<system_time_point> date_;
    time_point now_{std::chrono::hours{1}};
};

/** A loop on which a test runs several tasks side by side, and can stop or destroy each of them wherever it is. */
class test_loop {
public:
    test_loop() = default;
    /** A loop whose timers follow `time`; see `advance`. */
    explicit test_loop(hand_clock& time) : time_{&time} { weft::install_clock(io_, time); }
    ~test_loop() { io_.run_for(std::chrono::milliseconds{0}); }

    [[nodiscard]] weft::serial_loop& loop() { return weft::serial_loop::of(io_); }
    [[nodiscard]] boost::asio::io_context& context() { return io_; }

    /** Runs the loop until `is_reached()`; what OS threads of a test server do counts too. */
    template <class Condition>
    void run_until(Condition is_reached)
    {
        constexpr std::chrono::seconds patience{20};
        const auto give_up = std::chrono::steady_clock::now() + patience;
        while (!is_reached()) {
            if (std::chrono::steady_clock::now() > give_up) BOOST_FAIL("the awaited moment never came");
            io_.restart();
            io_.run_one_for(std::chrono::milliseconds{2});
        }
    }

    /** Lets the loop do what it can do now. */
    void settle()
    {
        io_.restart();
        io_.poll();
    }

    /** Moves the hand clock and fires the timers that are due then. */
    void advance(weft::clock::duration by)
    {
        time_->move(by);
        loop().fire_due_timers();
        settle();
    }

private:
    boost::asio::io_context io_{1};
    hand_clock* time_ = nullptr;
};

/** A task that was started on a test loop. */
template <class T>
class started {
public:
    started(test_loop& where, weft::task<T> work)
        : where_{where}, context_{&where.loop(), &scope_}, work_{std::move(work)}
    {
        is_done_ = work_->start(context_, [](void* self) { static_cast<started*>(self)->is_done_ = true; }, this);
    }
    started(const started&) = delete;

    [[nodiscard]] bool is_done() const { return is_done_; }
    void stop() { scope_.request_stop(); }
    void destroy() { work_.reset(); }

    /** Runs the loop until the task has ended, and gives its result or throws its error. */
    T result()
    {
        where_.run_until([this] { return is_done_; });
        return work_->take();
    }

    /** The error that the task ends with, and which it must end with. */
    weft::error failure()
    {
        try {
            (void)result();
        } catch (const weft::error& e) {
            return e;
        }
        BOOST_FAIL("the task succeeded");
        throw std::logic_error{"unreachable"};
    }

private:
    test_loop& where_;
    weft::stop_scope scope_;
    weft::task_context context_;
    std::optional<weft::task<T>> work_;
    bool is_done_ = false;
};

template <class T>
started(test_loop&, weft::task<T>) -> started<T>;

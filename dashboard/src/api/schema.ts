// Made by ./run dashboard from the API's own description. Do not edit.
export interface paths {
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What verifies access tokens */
        get: operations["jwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/appeals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Appeals that wait, or were decided */
        get: operations["adminAppeals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/appeals/{appeal_id}/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide an appeal */
        post: operations["adminAppealDecide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What operators changed */
        get: operations["adminAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List bulk actions */
        get: operations["adminBulkActions"];
        put?: never;
        /** Do it to all that match */
        post: operations["adminBulkAsk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/bulk/{bulk_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One bulk action */
        get: operations["adminBulkAction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/bulk/{bulk_id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undo a bulk action */
        post: operations["adminBulkUndo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/bulk/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many match */
        get: operations["adminBulkPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/corpus/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Versions of the corpus */
        get: operations["adminCorpusVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dashboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who you are, and which pages there are */
        get: operations["adminDashboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dead": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List dead letters */
        get: operations["adminDead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dead/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Discard dead letters */
        post: operations["adminDeadDiscard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dead/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Requeue dead letters */
        post: operations["adminDeadRequeue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/disputes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for a person */
        get: operations["adminDisputes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/disputes/{dispute_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide a dispute */
        post: operations["adminDisputeResolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events as they come */
        get: operations["adminEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/figures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures over time */
        get: operations["adminFigures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/figures/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures of each kind */
        get: operations["adminFiguresOfKinds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/figures/ticks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ticks by day */
        get: operations["adminTickDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/gaps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List gaps */
        get: operations["adminGaps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/gaps/map": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Expected against actual */
        get: operations["adminGapMap"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/gaps/repair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Repair gaps */
        post: operations["adminGapsRepair"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/identity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One identity whole */
        get: operations["adminIdentity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List jobs */
        get: operations["adminJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One job whole */
        get: operations["adminJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{job_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a job */
        post: operations["adminJobCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{job_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run a job now */
        post: operations["adminJobRetry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{job_id}/revive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run an ended job again */
        post: operations["adminJobRevive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{job_id}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why a job does not run */
        get: operations["adminJobWhy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/ledger/seals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Seals over the ledger */
        get: operations["adminSeals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/ledger/trial-balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What all accounts come to */
        get: operations["adminTrialBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/offers/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why somebody was offered, or not */
        get: operations["adminOfferExplained"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/offers/rounds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rounds, with their figures */
        get: operations["adminOfferRounds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/offers/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A user's sets, and why each */
        get: operations["adminOfferSets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/offers/zones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a date came to in each zone */
        get: operations["adminOfferZones"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/pauses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is paused */
        get: operations["adminPauses"];
        put?: never;
        /** Pause a lane, kind or schedule */
        post: operations["adminPause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/pauses/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a lane, kind or schedule */
        post: operations["adminResume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find users */
        get: operations["adminPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/people/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A user */
        get: operations["adminPerson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Correct what is fixed */
        patch: operations["adminPersonCorrect"];
        trace?: never;
    };
    "/admin/people/{user_id}/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide a verification */
        post: operations["adminPersonVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/players/{player_id}/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Money came for a player */
        post: operations["adminPlayerDeposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/players/{player_id}/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A player's money */
        get: operations["adminPlayerLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/players/{player_id}/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turn credit into money */
        post: operations["adminPlayerRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/players/{player_id}/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Money goes to a player */
        post: operations["adminPlayerWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports that wait, or were decided */
        get: operations["adminReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/reports/{report_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A report, with all that one needs to decide it */
        get: operations["adminReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/reports/{report_id}/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide a report */
        post: operations["adminReportDecide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/reports/{report_id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Write a note on a report */
        post: operations["adminReportNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One run with its steps */
        get: operations["adminRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Schedules */
        get: operations["adminSchedules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who is signed in */
        get: operations["adminSession"];
        put?: never;
        /** Sign in with a token */
        post: operations["adminSignIn"];
        /** Sign out */
        delete: operations["adminSignOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/session/all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Sign out everywhere */
        delete: operations["adminSignOutEverywhere"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/session/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with a code */
        post: operations["adminSignInWithCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Games */
        get: operations["adminSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One game whole */
        get: operations["adminGame"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Settings */
        get: operations["adminSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/stakes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tickets */
        get: operations["adminStakes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/stakes/{ticket_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One stake whole */
        get: operations["adminStake"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/stakes/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who waits at which stakes */
        get: operations["adminStakeQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures */
        get: operations["adminStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is running */
        get: operations["adminSystem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find a user by phone */
        get: operations["adminUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a user */
        get: operations["adminUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{user_id}/reinstate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a user's suspension */
        post: operations["adminUserReinstate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{user_id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A user's sign-ins */
        get: operations["adminUserSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{user_id}/sessions/{sign_in_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a user's sign-in */
        delete: operations["adminUserSessionEnd"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{user_id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Suspend a user */
        post: operations["adminUserSuspend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Workers */
        get: operations["adminWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/match/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a match run */
        post: operations["matchRunStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/match/run/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A match run, and its matches when it is ready */
        get: operations["matchRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/match/run/{run_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A match run as it goes */
        get: operations["matchRunEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/match/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Match runs, the newest first */
        get: operations["matchRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/match/startups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs by startup */
        get: operations["matchRunsByStartup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/otp/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a code */
        post: operations["otpSend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/otp/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with a code */
        post: operations["otpVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stay signed in */
        post: operations["refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your sign-ins */
        get: operations["sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{sign_in_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of your sign-ins */
        delete: operations["sessionEnd"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compatibility/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The questions */
        get: operations["questions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compatibility/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer questions */
        post: operations["questionsAnswer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What concerns you, as it comes */
        get: operations["events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fixtures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List fixtures */
        get: operations["fixtures"];
        put?: never;
        /** Bring fixtures */
        post: operations["fixturesIngest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fixtures/{fixture_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One fixture whole */
        get: operations["fixture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Alive */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your matches */
        get: operations["matches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{match_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of your matches */
        get: operations["match"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{match_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Messages of a match */
        get: operations["messages"];
        put?: never;
        /** Send a message */
        post: operations["messageSend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{match_id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark messages as read */
        post: operations["messagesRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{match_id}/unmatch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a match */
        post: operations["unmatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/offers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your offers */
        get: operations["offers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/offers/{offer_id}/action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept an offer, pass, or leave it for later */
        post: operations["offerAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Prometheus metrics */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/photos/{photo_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A photo */
        get: operations["photo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/players/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your money */
        get: operations["player"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/players/me/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where your money went */
        get: operations["playerLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Able to serve */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/safety/appeal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Appeal against what was decided about you */
        post: operations["appeal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/safety/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Block a user */
        post: operations["block"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/safety/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report a user, a message or a match */
        post: operations["report"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A game of yours */
        get: operations["session"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/dispute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Dispute a game */
        post: operations["sessionDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/moves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The moves of a game of yours */
        get: operations["sessionMoves"];
        put?: never;
        /** Make a move */
        post: operations["sessionMove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session_id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** How a game went */
        post: operations["sessionResult"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stakes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stake, and wait for a partner */
        post: operations["stake"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stakes/{ticket_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Leave the queue */
        delete: operations["stakeCancel"];
        options?: never;
        head?: never;
        /** Change the stake */
        patch: operations["stakeChange"];
        trace?: never;
    };
    "/stakes/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where you stand */
        get: operations["stakeCurrent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Yourself */
        get: operations["me"];
        put?: never;
        post?: never;
        /** Delete your account */
        delete: operations["meDelete"];
        options?: never;
        head?: never;
        /** Change your profile */
        patch: operations["meChange"];
        trace?: never;
    };
    "/users/me/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whom you have blocked */
        get: operations["blocks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/blocks/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take a block back */
        delete: operations["unblock"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far it is */
        get: operations["export"];
        put?: never;
        /** Ask for a copy of your data */
        post: operations["exportAsk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/export/{link_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch the copy */
        get: operations["exportFetch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/photos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a photo */
        post: operations["photoAdd"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/photos/{photo_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a photo of yours */
        delete: operations["photoRemove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your preferences */
        get: operations["preferences"];
        /** Set preferences */
        put: operations["preferencesPut"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verification/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin a verification */
        post: operations["verificationStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verification/session/{session_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask for the verdict */
        post: operations["verificationComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verification/session/{session_id}/picture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Send the picture */
        put: operations["verificationPicture"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The log of all endpoints */
        get: operations["webhookAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List endpoints */
        get: operations["webhookEndpoints"];
        put?: never;
        /** Register an endpoint */
        post: operations["webhookEndpointAdd"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/endpoints/{endpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove an endpoint */
        delete: operations["webhookEndpointRemove"];
        options?: never;
        head?: never;
        /** Change, pause or resume an endpoint */
        patch: operations["webhookEndpointChange"];
        trace?: never;
    };
    "/webhooks/endpoints/{endpoint_id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An endpoint's log */
        get: operations["webhookEndpointAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/endpoints/{endpoint_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send again */
        post: operations["webhookEndpointReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/endpoints/{endpoint_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rotate an endpoint's secret */
        post: operations["webhookEndpointRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** AccountDetail */
        AccountDetail: {
            account: components["schemas"]["AccountView"];
            user: {
                [key: string]: unknown;
            };
        };
        /**
         * AccountKind
         * @description Players have a wallet and a credit; the platform the others, one for each currency.
         * @enum {string}
         */
        AccountKind: "wallet" | "credit" | "escrow" | "revenue" | "cash";
        /** AccountList */
        AccountList: {
            users: components["schemas"]["AccountView"][];
        };
        /**
         * AccountStatus
         * @enum {string}
         */
        AccountStatus: "active" | "suspended" | "deleted";
        /** AccountView */
        AccountView: {
            actionId: string | null;
            /** Format: date-time */
            createdAt: string;
            deletedAt: string | null;
            erasedAt: string | null;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            lastActiveAt: string;
            phoneNumber: string | null;
            status: components["schemas"]["AccountStatus"];
            suspendedAt: string | null;
            suspendedUntil: string | null;
        };
        /** Acted */
        Acted: {
            isMutual: boolean;
            offer: components["schemas"]["Offer"];
        };
        /** ActionShown */
        ActionShown: {
            /** Format: date-time */
            decidedAt: string;
            decidedBy: string;
            decision: components["schemas"]["Decision"];
            /** Format: uuid */
            id: string;
            note: string | null;
            reportId: string | null;
            reversedAt: string | null;
            until: string | null;
        };
        /** Alert */
        Alert: {
            calm: number;
            clearedAt: string | null;
            name: string;
            /** Format: date-time */
            raisedAt: string;
            /** Format: date-time */
            seenAt: string;
            summary: string;
            threshold: number;
            value: number;
        };
        /** Appeal */
        Appeal: {
            /** Format: uuid */
            actionId: string;
            /** Format: date-time */
            createdAt: string;
            decidedAt: string | null;
            decidedBy: string | null;
            decision: components["schemas"]["Decision"];
            /** Format: uuid */
            id: string;
            note: string | null;
            outcome: components["schemas"]["AppealOutcome"] | null;
            reason: string;
            until: string | null;
            /** Format: uuid */
            userId: string;
        };
        /** AppealDecision */
        AppealDecision: {
            /** @description For operators. */
            note?: string | null;
            outcome: components["schemas"]["AppealOutcome"];
        };
        /**
         * AppealOutcome
         * @enum {string}
         */
        AppealOutcome: "upheld" | "overturned";
        /** AppealPage */
        AppealPage: {
            appeals: components["schemas"]["Appeal"][];
            next: string | null;
        };
        /** AppealReceipt */
        AppealReceipt: {
            /** Format: uuid */
            appealId: string;
        };
        /**
         * AppealStatus
         * @description Only these.
         * @default open
         * @enum {string}
         */
        AppealStatus: "open" | "decided";
        /** AskBulk */
        AskBulk: {
            action: components["schemas"]["BulkAction"];
            /** @default false */
            everything: boolean;
            filter?: components["schemas"]["BulkFilter"];
            reason: string;
        };
        /**
         * AttemptEnding
         * @enum {string}
         */
        AttemptEnding: "succeeded" | "failed" | "lost" | "handed_back" | "cancelled" | "snoozed" | "skipped";
        /** AttemptPage */
        AttemptPage: {
            attempts: components["schemas"]["DeliveryAttemptView"][];
            next: number | null;
        };
        /** AttemptView */
        AttemptView: {
            attempt: number;
            dueAt: string | null;
            error: string | null;
            errorClass: string | null;
            /** Format: date-time */
            finishedAt: string;
            outcome: components["schemas"]["AttemptEnding"];
            seconds: number | null;
            startedAt: string | null;
            token: number;
            trace: string | null;
            worker: number | null;
            workerName: string | null;
        };
        /** AuditEntry */
        AuditEntry: {
            action: string;
            actor: string;
            /** Format: date-time */
            at: string;
            id: number;
            reason: string | null;
            requestId: string | null;
            subject: string;
        };
        /** AuditPage */
        AuditPage: {
            entries: components["schemas"]["AuditEntry"][];
            next: number | null;
        };
        /** BeginPause */
        BeginPause: {
            name: string;
            reason: string;
            what: components["schemas"]["Pausable"];
        };
        /** BlockList */
        BlockList: {
            blocks: components["schemas"]["UserBlock"][];
        };
        /**
         * BlockReason
         * @enum {string}
         */
        BlockReason: "inappropriate" | "harassment" | "no_reason";
        /**
         * BulkAction
         * @description What would be done to them.
         * @default requeue
         * @enum {string}
         */
        BulkAction: "retry" | "cancel" | "requeue" | "discard" | "revive" | "repair";
        /**
         * BulkFilter
         * @default {}
         */
        BulkFilter: {
            errorClass?: string | null;
            expectation?: string | null;
            key?: string | null;
            kind?: string | null;
            lane?: string | null;
            since?: string | number | null;
            state?: components["schemas"]["JobState"] | null;
            text?: string | null;
        };
        /** BulkPage */
        BulkPage: {
            actions: components["schemas"]["BulkView"][];
            next: number | null;
        };
        /**
         * BulkState
         * @enum {string}
         */
        BulkState: "waiting" | "running" | "done" | "undone" | "stopped" | "failed";
        /** BulkView */
        BulkView: {
            action: components["schemas"]["BulkAction"];
            /** Format: date-time */
            askedAt: string;
            askedBy: string;
            atLeast: boolean;
            changed: number;
            filter: unknown;
            id: number;
            jobId: number | null;
            matched: number;
            passed: number;
            reason: string;
            state: components["schemas"]["BulkState"];
            undoable: boolean;
            undoneAt: string | null;
            undoneBy: string | null;
            /** Format: date-time */
            undoUntil: string;
        };
        /** Candidate */
        Candidate: {
            age: number | null;
            bio: string | null;
            compatibilityScore: number;
            compatibilityThemes: string[];
            displayName: string | null;
            /** Format: uuid */
            id: string;
            photos: components["schemas"]["CardPhoto"][];
        };
        /** CardPhoto */
        CardPhoto: {
            /** Format: uuid */
            id: string;
            isPrimary: boolean;
            url: string;
        };
        /**
         * CellSize
         * @description How long a cell is.
         * @default hour
         * @enum {string}
         */
        CellSize: "hour" | "day";
        /** Check */
        Check: {
            bound: number | null;
            figure: number | null;
            name: string;
            passed: boolean | null;
            says: string;
        };
        /**
         * ClosedReason
         * @enum {string}
         */
        ClosedReason: "unmatched" | "blocked" | "deleted" | "expired";
        /** CodeSent */
        CodeSent: {
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            requestId: string;
            retryAfter: number;
        };
        /** CodeSignIn */
        CodeSignIn: {
            code: string;
        };
        /** CodeTried */
        CodeTried: {
            /** @example 123456 */
            code: string;
            /** @description What the app calls this device: the same each time, and no other's. */
            deviceId?: string | null;
            /** Format: uuid */
            requestId: string;
        };
        /** CodeWanted */
        CodeWanted: {
            /**
             * @description Digits, without +.
             * @example 49
             */
            countryCode: string;
            /** @description What the app calls this device: the same each time, and no other's. */
            deviceId?: string | null;
            /**
             * @description Digits, without the country's code.
             * @example 15123456789
             */
            phoneNumber: string;
        };
        /**
         * CorpusState
         * @enum {string}
         */
        CorpusState: "building" | "built" | "refused" | "current" | "previous" | "retired";
        /** CorpusVerdict */
        CorpusVerdict: {
            against?: number | null;
            checks?: components["schemas"]["Check"][];
            passed?: boolean | null;
            rolledBack?: string | null;
            summary?: string | null;
        };
        /** CorpusVersions */
        CorpusVersions: {
            versions: components["schemas"]["CorpusVersionShown"][];
        };
        /** CorpusVersionShown */
        CorpusVersionShown: {
            builtAt: string | null;
            investors: number | null;
            leftAt: string | null;
            /** Format: date-time */
            madeAt: string;
            matches: number | null;
            source: string;
            startups: number | null;
            state: components["schemas"]["CorpusState"];
            switchedAt: string | null;
            verdict: components["schemas"]["CorpusVerdict"] | null;
            version: number;
            weights: {
                [key: string]: unknown;
            } | null;
        };
        /** Correction */
        Correction: {
            birthDate?: string | null;
            gender?: components["schemas"]["Gender"] | null;
            /** @description For the audit. */
            reason?: string | null;
        };
        /** Dashboard */
        Dashboard: {
            caller: components["schemas"]["DashboardCaller"];
            capabilities: string[];
            pages: components["schemas"]["DashboardPage"][];
            version: string;
        };
        /** DashboardCaller */
        DashboardCaller: {
            endsAt: string | null;
            name: string;
            role: components["schemas"]["StaffRole"];
        };
        /** DashboardPage */
        DashboardPage: {
            capability: string | null;
            forViewers: boolean;
            name: string;
            title: string;
        };
        /** DeadFilter */
        DeadFilter: {
            errorClass?: string | null;
            kind?: string | null;
            lane?: string | null;
            since?: string | number | null;
            text?: string | null;
        };
        /** DeadLetter */
        DeadLetter: {
            attempt: number;
            /** Format: date-time */
            diedAt: string;
            error: string;
            errorClass: string;
            id: number;
            key: string;
            kind: string;
            lane: string;
            repaired: boolean;
        };
        /** DeadPage */
        DeadPage: {
            letters: components["schemas"]["DeadLetter"][];
            next: string | null;
        };
        /**
         * Decision
         * @enum {string}
         */
        Decision: "warn" | "remove" | "suspend" | "ban" | "dismiss";
        /**
         * DecisionWord
         * @enum {string}
         */
        DecisionWord: "planned" | "moved" | "skipped" | "cancelled" | "revived";
        /** DeletionBegun */
        DeletionBegun: {
            erasedAfterDays: number;
        };
        /** DeliveryAttemptView */
        DeliveryAttemptView: {
            /** Format: date-time */
            at: string;
            attempt: number;
            error: string | null;
            /** Format: uuid */
            eventId: string;
            eventType: string;
            excerpt: string | null;
            id: number;
            jobId: number;
            outcome: components["schemas"]["DeliveryOutcome"];
            seconds: number;
            status: number | null;
        };
        /** DeliveryLogPage */
        DeliveryLogPage: {
            attempts: components["schemas"]["LoggedDelivery"][];
            next: number | null;
        };
        /**
         * DeliveryOutcome
         * @enum {string}
         */
        DeliveryOutcome: "delivered" | "failed" | "refused" | "gone" | "skipped";
        /** Discard */
        Discard: {
            filter?: components["schemas"]["DeadFilter"] | null;
            ids?: number[];
            reason: string;
        };
        /** Discarded */
        Discarded: {
            discarded: number;
        };
        /** DiscoveryChange */
        DiscoveryChange: {
            maxAgePreference?: number | null;
            maxDistanceKm?: number | null;
            minAgePreference?: number | null;
            physicalPreferences?: string[] | null;
            relationshipIntent?: components["schemas"]["RelationshipIntent"] | null;
        };
        /** DiscoveryPreferences */
        DiscoveryPreferences: {
            maxAgePreference: number;
            maxDistanceKm: number;
            minAgePreference: number;
            physicalPreferences: string[];
            relationshipIntent: components["schemas"]["RelationshipIntent"];
        };
        /** Dispute */
        Dispute: {
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            deadline: string;
            frozen: boolean;
            id: number;
            openedBy: string | null;
            reason: string;
            reported: string | null;
            resolution: components["schemas"]["DisputeResolution"] | null;
            resolvedAt: string | null;
            resolvedFor: string | null;
            sessionId: number;
            status: components["schemas"]["DisputeStatus"];
        };
        /** DisputeDecision */
        DisputeDecision: {
            reason?: string | null;
            /** @default false */
            split: boolean;
            winnerId?: string | null;
        };
        /** DisputePage */
        DisputePage: {
            disputes: components["schemas"]["Dispute"][];
            next: number | null;
        };
        /**
         * DisputeResolution
         * @enum {string}
         */
        DisputeResolution: "winner" | "split";
        /**
         * DisputeStatus
         * @enum {string}
         */
        DisputeStatus: "open" | "resolved";
        /** EndPause */
        EndPause: {
            /** @default false */
            catchUp: boolean;
            name: string;
            what: components["schemas"]["Pausable"];
        };
        /** Endpoint */
        Endpoint: {
            /** Format: date-time */
            createdAt: string;
            description: string;
            failingSince: string | null;
            /** Format: uuid */
            id: string;
            reason: string | null;
            state: components["schemas"]["EndpointState"];
            /** Format: date-time */
            stateSince: string;
            types: string[];
            url: string;
        };
        /** EndpointChange */
        EndpointChange: {
            description?: string | null;
            /** @enum {null|string} */
            state?: "active" | "paused" | null;
            /** @description The event types wanted, such as `match.created`; `match.*` is a whole area. */
            types?: string[] | null;
            /** @description Where events are posted; a public address. */
            url?: string | null;
        };
        /** EndpointList */
        EndpointList: {
            endpoints: components["schemas"]["Endpoint"][];
        };
        /**
         * EndpointState
         * @enum {string}
         */
        EndpointState: "active" | "paused" | "disabled";
        /** EnforcementAction */
        EnforcementAction: {
            /** Format: uuid */
            actionId: string;
            decision: components["schemas"]["Decision"];
            until?: string | null;
            /** Format: uuid */
            userId: string;
        };
        /** EventDelivery */
        EventDelivery: {
            /** Format: uuid */
            endpointId: string;
            /** Format: uuid */
            eventId: string;
            jobId: number;
            state: components["schemas"]["JobState"];
        };
        /** Export */
        Export: {
            expiresAt?: string | null;
            /** Format: date-time */
            requestedAt: string;
            status: components["schemas"]["ExportStatus"];
            url?: string | null;
        };
        /**
         * ExportStatus
         * @enum {string}
         */
        ExportStatus: "pending" | "ready" | "expired";
        /**
         * FailureReason
         * @enum {string}
         */
        FailureReason: "liveness_failed" | "age_verification_failed" | "quality_too_low" | "policy_violation";
        /** FigurePoint */
        FigurePoint: {
            /** Format: date-time */
            at: string;
            died: number;
            failed: number;
            lost: number;
            meanSeconds: number | null;
            p50Seconds: number | null;
            p95Seconds: number | null;
            succeeded: number;
        };
        /** Figures */
        Figures: {
            kind: string | null;
            points: components["schemas"]["FigurePoint"][];
            /** Format: date-time */
            since: string;
            stepSeconds: number;
            /** Format: date-time */
            until: string;
        };
        /** FiguresOfKinds */
        FiguresOfKinds: {
            kinds: components["schemas"]["KindFigures"][];
        };
        /** FixtureDetail */
        FixtureDetail: {
            /** Format: date-time */
            createdAt: string;
            decisions: components["schemas"]["PlanDecision"][];
            fixture: components["schemas"]["FixtureView"];
            pipeline: string;
            resultAt: string | null;
            resultChanges: components["schemas"]["ResultChange"][];
            results: {
                [key: string]: unknown;
            };
            source: string;
            steps: components["schemas"]["StepView"][];
            /** Format: date-time */
            updatedAt: string;
            zone: string | null;
        };
        /** FixturePage */
        FixturePage: {
            fixtures: components["schemas"]["FixtureWithSteps"][];
            next: string | null;
        };
        /** FixtureView */
        FixtureView: {
            away: string;
            awayGoals: number | null;
            competition: string;
            competitionName: string;
            day: string | null;
            externalId: string | null;
            home: string;
            homeGoals: number | null;
            id: number;
            kickoff: string | null;
            kickoffLocal: string | null;
            round: string | null;
            season: string;
            status: components["schemas"]["Status"];
        };
        /** FixtureWithSteps */
        FixtureWithSteps: {
            fixture: components["schemas"]["FixtureView"];
            steps: components["schemas"]["StepView"][];
        };
        /** FoundUser */
        FoundUser: {
            /** Format: date-time */
            createdAt: string;
            displayName: string | null;
            /** Format: uuid */
            id: string;
            lastActiveAt: string | null;
            onboardingStatus: components["schemas"]["OnboardingStatus"];
            phoneNumber: string | null;
            status: components["schemas"]["UserStatus"];
        };
        /** GameDetail */
        GameDetail: {
            made: components["schemas"]["MoveShown"][];
            money: components["schemas"]["MoneyEntry"][];
            session: components["schemas"]["SessionShown"];
            tickets: components["schemas"]["TicketHeld"][];
        };
        /** Gap */
        Gap: {
            /** Format: date-time */
            dueAt: string;
            error: string | null;
            gap: string;
            jobId: number | null;
            key: string;
        };
        /** GapCell */
        GapCell: {
            /** Format: date-time */
            at: string;
            dead: number;
            expected: number;
            missing: number;
            there: number;
        };
        /** GapMap */
        GapMap: {
            cells: components["schemas"]["GapCell"][];
            error: string | null;
            kind: string;
            name: string;
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            until: string;
        };
        /** GapMaps */
        GapMaps: {
            expectations: components["schemas"]["GapMap"][];
        };
        /** GapReport */
        GapReport: {
            dead: number;
            deadTransient: number;
            error: string | null;
            expected: number;
            gaps: components["schemas"]["Gap"][];
            kind: string;
            missing: number;
            name: string;
            resultMissing: number;
            /** Format: date-time */
            since: string;
            stale: number;
            /** Format: date-time */
            until: string;
        };
        /** Gaps */
        Gaps: {
            expectations: components["schemas"]["GapReport"][];
        };
        /**
         * Gender
         * @enum {string}
         */
        Gender: "male" | "female" | "non_binary" | "prefer_not_to_say";
        /** Health */
        Health: {
            /** @constant */
            status: "ok";
            version: string;
        };
        /** HeldRunView */
        HeldRunView: {
            canonical_url: string;
            canonicalUrl: string;
            corpus_version: number | null;
            corpusVersion: number | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            createdAt: string;
            error_code: string | null;
            error_message: string | null;
            errorCode: string | null;
            errorMessage: string | null;
            input_url: string;
            inputUrl: string;
            lock_expires_at: string | null;
            locked_by: string | null;
            lockedBy: string | null;
            lockExpiresAt: string | null;
            match_count: number | null;
            matchCount: number | null;
            /** Format: uuid */
            run_id: string;
            /** Format: uuid */
            runId: string;
            startup_id: string | null;
            startupId: string | null;
            /** @enum {string} */
            status: "created" | "queued" | "processing" | "ready" | "error";
            /** @enum {string} */
            step: "resolve" | "extract" | "parse" | "match" | "rank" | "finalize";
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** Hold */
        Hold: {
            amount: number;
            /** Format: date-time */
            createdAt: string;
            currency: string;
            /** Format: date-time */
            deadline: string;
            expiresAt: string | null;
            fromCredit: number;
            fromWallet: number;
            id: number;
            owner: string;
            queueId: number | null;
            resolvedAt: string | null;
            resolvedBy: number | null;
            sessionId: number | null;
            state: components["schemas"]["HoldState"];
            taken: number | null;
            transferId: number;
        };
        /**
         * HoldState
         * @enum {string}
         */
        HoldState: "held" | "settled" | "released" | "expired";
        /** IdentityEvent */
        IdentityEvent: {
            aggregate: string;
            /** Format: date-time */
            at: string;
            data: unknown;
            /** Format: uuid */
            id: string;
            sequence: number;
            type: string;
        };
        /** IdentityView */
        IdentityView: {
            connections: components["schemas"]["JobConnection"][];
            deliveries: components["schemas"]["EventDelivery"][];
            events: components["schemas"]["IdentityEvent"][];
            job: components["schemas"]["JobDetail"];
            why: components["schemas"]["WhyReason"][];
        };
        /** IngestReport */
        IngestReport: {
            /** @default 0 */
            cancelled: number;
            /** @default 0 */
            changed: number;
            /** @default 0 */
            created: number;
            /** @default 0 */
            documents: number;
            /** @default 0 */
            moved: number;
            newTeams?: string[];
            notes?: components["schemas"]["ReadingNote"][];
            planned?: components["schemas"]["PlanReport"];
            /** @default 0 */
            read: number;
            /** @default 0 */
            reinstated: number;
            rejects?: components["schemas"]["RejectedMatch"][];
            /** @default 0 */
            repeated: number;
            /** @default 0 */
            results: number;
            /** @default 0 */
            resultsChanged: number;
            /** @default 0 */
            unchanged: number;
            unread?: string[];
            unstored?: string[];
            /** @default 0 */
            untimed: number;
            warnings?: components["schemas"]["ReadingNote"][];
        };
        /** InvestorMatch */
        InvestorMatch: {
            cheque_max: number | null;
            cheque_min: number | null;
            chequeMax: number | null;
            chequeMin: number | null;
            deals: number | null;
            firm: string;
            investor_id: string;
            investorId: string;
            name: string;
            percent: number;
            rank: number;
            score: number;
            sectors: string[];
            stage: string | null;
            stages: string[];
            url: string | null;
            why: components["schemas"]["Signal"][];
        };
        /** JobChanged */
        JobChanged: {
            id: number;
            state: components["schemas"]["JobState"];
        };
        /** JobConnection */
        JobConnection: {
            address?: string | null;
            aggregate?: string | null;
            capability: string;
            facts?: {
                [key: string]: unknown;
            };
            id: string;
            what: string;
        };
        /** JobDetail */
        JobDetail: {
            anchor: string | null;
            anchorOffsetSeconds: number | null;
            attempt: number | null;
            attempts: components["schemas"]["AttemptView"][];
            awaitedBy: components["schemas"]["RelatedJob"][];
            cancelling: boolean;
            deadlineAt: string | null;
            discardedAt: string | null;
            discardReason: string | null;
            dueAt: string | null;
            /** Format: date-time */
            enqueuedAt: string;
            failures: number | null;
            finishedAt: string | null;
            firstDueAt: string | null;
            group: string | null;
            id: number;
            key: string;
            kind: string;
            lane: string | null;
            message: string | null;
            payload: unknown;
            priority: number | null;
            progress: number | null;
            pruned: boolean;
            reason: string | null;
            repaired: boolean;
            reportedAt: string | null;
            requires: components["schemas"]["RelatedJob"][];
            result: unknown;
            startedAt: string | null;
            state: components["schemas"]["JobState"];
            token: number;
            version: number | null;
            worker: number | null;
            workerName: string | null;
        };
        /** JobPage */
        JobPage: {
            jobs: components["schemas"]["JobSummary"][];
            next: number | null;
        };
        /**
         * JobState
         * @enum {string}
         */
        JobState: "scheduled" | "ready" | "running" | "blocked" | "succeeded" | "cancelled" | "skipped" | "dead";
        /** JobSummary */
        JobSummary: {
            attempt: number | null;
            dueAt: string | null;
            finishedAt: string | null;
            id: number;
            key: string;
            kind: string;
            lane: string | null;
            message: string | null;
            priority: number | null;
            progress: number | null;
            reason: string | null;
            startedAt: string | null;
            state: components["schemas"]["JobState"];
            worker: number | null;
        };
        /** JobWhy */
        JobWhy: {
            id: number;
            reasons: components["schemas"]["WhyReason"][];
        };
        /** KeySet */
        KeySet: {
            keys: components["schemas"]["PublishedKey"][];
        };
        /** KindActivity */
        KindActivity: {
            died: number;
            failed: number;
            kind: string;
            lost: number;
            oldest: string | null;
            p95: number | null;
            succeeded: number;
        };
        /** KindFigures */
        KindFigures: {
            died: number;
            failed: number;
            kind: string;
            lost: number;
            meanSeconds: number | null;
            p50Seconds: number | null;
            p95Seconds: number | null;
            succeeded: number;
        };
        /** LaneCount */
        LaneCount: {
            capped: boolean;
            jobs: number;
            lane: string;
            state: components["schemas"]["JobState"];
        };
        /** LineShown */
        LineShown: {
            amount: number;
            currency: string;
            /** Format: date-time */
            oldestAt: string;
            waiting: number;
            waitingFor: components["schemas"]["WaitingFor"];
            why: string;
        };
        /** ListedReport */
        ListedReport: {
            category: components["schemas"]["ReportCategory"];
            /** Format: date-time */
            createdAt: string;
            decidedAt: string | null;
            description: string | null;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            reporterId: string;
            restrained: boolean;
            severity: components["schemas"]["Severity"];
            status: components["schemas"]["ReportStatus"];
            /** Format: uuid */
            subjectId: string;
            type: components["schemas"]["ReportType"];
            /** Format: uuid */
            userId: string;
        };
        /** Location */
        Location: {
            city?: string | null;
            country?: string | null;
            latitude?: number | null;
            longitude?: number | null;
            region?: string | null;
        };
        /** LoggedClaim */
        LoggedClaim: {
            /** Format: date-time */
            at: string;
            outcome: components["schemas"]["PairingOutcome"];
            reason: string | null;
            sessionId: number | null;
            stake: number;
            tickets: number[];
            worker: string;
        };
        /** LoggedDelivery */
        LoggedDelivery: {
            /** Format: date-time */
            at: string;
            attempt: number;
            /** Format: uuid */
            endpointId: string;
            error: string | null;
            /** Format: uuid */
            eventId: string;
            eventType: string;
            excerpt: string | null;
            id: number;
            jobId: number;
            outcome: components["schemas"]["DeliveryOutcome"];
            seconds: number;
            status: number | null;
        };
        /** MatchedUser */
        MatchedUser: {
            age: number | null;
            bio: string | null;
            displayName: string | null;
            id: string | null;
            photos: components["schemas"]["CardPhoto"][];
        };
        /** MatchList */
        MatchList: {
            matches: components["schemas"]["UserMatch"][];
        };
        /**
         * MatchState
         * @enum {string}
         */
        MatchState: "active" | "closed";
        /**
         * MatchStatus
         * @description Which of them.
         * @default active
         * @enum {string}
         */
        MatchStatus: "active" | "closed" | "all";
        /** Message */
        Message: {
            clientMessageId?: string | null;
            content?: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            matchId: string;
            readAt?: string | null;
            removedAt?: string | null;
            /** Format: uuid */
            senderId: string;
        };
        /** MessagePage */
        MessagePage: {
            hasMore: boolean;
            messages: components["schemas"]["Message"][];
        };
        /**
         * Mode
         * @enum {string}
         */
        Mode: "development" | "production";
        /** MoneyEntry */
        MoneyEntry: {
            account: components["schemas"]["AccountKind"];
            amount: number;
            /** Format: date-time */
            at: string;
            balance: number | null;
            currency: string;
            entryKind: components["schemas"]["TransferKind"];
            kind: components["schemas"]["TransferKind"];
            line: number;
            owner: string | null;
            queueId: number | null;
            reference: string;
            sessionId: number | null;
            transferId: number;
        };
        /** MoneyMoved */
        MoneyMoved: {
            amount: number;
            reference?: string | null;
        };
        /** MoveShown */
        MoveShown: {
            /** Format: date-time */
            createdAt: string;
            number: number;
            payload: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            playerId: string;
            type: string;
        };
        /** NewBlock */
        NewBlock: {
            reason?: components["schemas"]["BlockReason"] | null;
            /** Format: uuid */
            userId: string;
        };
        /** NewEndpoint */
        NewEndpoint: {
            /** @default  */
            description: string;
            /** @description The event types wanted, such as `match.created`; `match.*` is a whole area. */
            types?: string[];
            /** @description Where events are posted; a public address. */
            url: string;
        };
        /** NewFixtures */
        NewFixtures: {
            competitions?: components["schemas"]["PostedCompetition"][];
            fixtures: components["schemas"]["PostedFixture"][];
            /**
             * @description Under which name your names of teams are looked up.
             * @default api
             */
            source: string;
        };
        /** NewMessage */
        NewMessage: {
            /** @description Yours, for this message and its retries. */
            clientMessageId?: string | null;
            /** @description Kept as you send it. It must show something: spaces alone do not. */
            content: string;
        };
        /** NewNote */
        NewNote: {
            /** @description For operators. */
            note: string;
        };
        /** NewSession */
        NewSession: {
            accessToken: string;
            expiresIn: number;
            onboardingStatus: string | null;
            refreshToken: string;
            user: {
                [key: string]: unknown;
            };
        };
        /** NewStake */
        NewStake: {
            amount: number;
        };
        /** NewVerification */
        NewVerification: {
            consentVersion: string;
        };
        /**
         * NextStep
         * @enum {string}
         */
        NextStep: "photo_verification" | "matching" | "complete";
        /**
         * NoOffers
         * @description Why a user has no set of offers today.
         * @enum {string}
         */
        NoOffers: "no_profile" | "no_timezone" | "questionnaire_pending" | "verification_pending" | "not_matching" | "not_due_yet" | "in_preparation" | "not_in_plan" | "nobody_eligible" | "all_removed" | "not_active" | "missed";
        /** Offer */
        Offer: {
            cooldownUntil?: string | null;
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            offeredAt: string;
            status: components["schemas"]["OfferStatus"];
            user: components["schemas"]["Candidate"];
        };
        /**
         * OfferAction
         * @enum {string}
         */
        OfferAction: "accept" | "pass" | "not_now";
        /** OfferList */
        OfferList: {
            /** Format: date */
            batchDate: string;
            generatedAt?: string | null;
            offers: components["schemas"]["Offer"][];
            reason?: components["schemas"]["NoOffers"] | null;
            userTimezone?: string | null;
        };
        /**
         * OfferStatus
         * @enum {string}
         */
        OfferStatus: "offered" | "accepted" | "passed" | "not_now" | "matched" | "expired" | "closed";
        /** OfferView */
        OfferView: {
            actedAt: string | null;
            /** Format: uuid */
            candidateId: string;
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            offeredAt: string;
            place: number;
            score: number;
            status: components["schemas"]["OfferStatus"];
            themes: string[];
            why: components["schemas"]["PickWord"];
        };
        /**
         * OnboardingStatus
         * @enum {string}
         */
        OnboardingStatus: "complete" | "questionnaire_pending" | "verification_pending" | "blocked";
        /** OptionShown */
        OptionShown: {
            id: string;
            label: string;
        };
        /** PairExplained */
        PairExplained: {
            /** Format: uuid */
            candidateId: string;
            /** Format: date */
            day: string;
            fit?: number | null;
            got?: components["schemas"]["PickShown"][];
            isSeen?: components["schemas"]["SidedFit"] | null;
            needed?: number | null;
            otherGot?: components["schemas"]["PickShown"][];
            refusedBy?: string | null;
            score?: number | null;
            sees?: components["schemas"]["SidedFit"] | null;
            /** Format: uuid */
            userId: string;
            verdict: string;
        };
        /**
         * PairingOutcome
         * @enum {string}
         */
        PairingOutcome: "paired" | "passed" | "failed";
        /**
         * Pausable
         * @enum {string}
         */
        Pausable: "lane" | "kind" | "schedule";
        /** Pause */
        Pause: {
            name: string;
            /** Format: date-time */
            pausedAt: string;
            pausedBy: string | null;
            reason: string | null;
            what: components["schemas"]["Pausable"];
        };
        /** PauseChanged */
        PauseChanged: {
            changed: boolean;
            pauses: components["schemas"]["Pause"][];
        };
        /** Pauses */
        Pauses: {
            pauses: components["schemas"]["Pause"][];
        };
        /** PhotoShown */
        PhotoShown: {
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            isPrimary: boolean;
            url: string;
        };
        /** PickShown */
        PickShown: {
            /** Format: uuid */
            candidateId: string;
            kind: string;
            place: number;
            score: number;
        };
        /**
         * PickWord
         * @description ``PickKind`` in words.
         * @enum {string}
         */
        PickWord: "return" | "mutual" | "one_sided" | "reserve" | "anchor";
        /** PlanDecision */
        PlanDecision: {
            /** Format: date-time */
            at: string;
            decision: components["schemas"]["DecisionWord"];
            dueAt: string | null;
            reason: string;
            step: string | null;
        };
        /**
         * PlanReport
         * @default {
         *       "fixtures": 0,
         *       "open": 0,
         *       "planned": 0,
         *       "moved": 0,
         *       "revived": 0,
         *       "skipped": 0,
         *       "cancelled": 0,
         *       "waiting": 0,
         *       "undeclared": 0
         *     }
         */
        PlanReport: {
            /** @default 0 */
            cancelled: number;
            /** @default 0 */
            fixtures: number;
            /** @default 0 */
            moved: number;
            /** @default 0 */
            open: number;
            /** @default 0 */
            planned: number;
            /** @default 0 */
            revived: number;
            /** @default 0 */
            skipped: number;
            /** @default 0 */
            undeclared: number;
            /** @default 0 */
            waiting: number;
        };
        /** PlayerAccounts */
        PlayerAccounts: {
            account: string;
            credit: number;
            currency: string;
            held: number;
            lines: components["schemas"]["StatementLine"][];
            next: string | null;
            wallet: number;
        };
        /** PlayerLedger */
        PlayerLedger: {
            account: string;
            lines: components["schemas"]["StatementLine"][];
            next: string | null;
        };
        /** PlayerShown */
        PlayerShown: {
            credit: number;
            currency: string;
            held: number;
            /** Format: uuid */
            id: string;
            ticket: components["schemas"]["TicketShown"] | null;
            wallet: number;
        };
        /** PostedCompetition */
        PostedCompetition: {
            id: string;
            name?: string | null;
            zone?: string | null;
        };
        /** PostedFixture */
        PostedFixture: {
            away: string;
            awayGoals?: number | null;
            competition: string;
            date?: string | null;
            externalId?: string | null;
            home: string;
            homeGoals?: number | null;
            kickoff?: string | null;
            round?: string | null;
            season?: string | null;
            status?: string | null;
            time?: string | null;
            zone?: string | null;
        };
        /** PresentMatchmaker */
        PresentMatchmaker: {
            /** Format: date-time */
            seenAt: string;
            worker: string;
        };
        /** Preview */
        Preview: {
            atLeast: boolean;
            matched: number;
        };
        /** Problem */
        Problem: {
            actionId?: string;
            amounts?: number[];
            code: string;
            detail: string;
            dispute?: number | null;
            errors?: {
                [key: string]: unknown;
            }[];
            existingId?: string;
            expected?: number;
            message: string;
            session?: number | null;
            status: number;
            ticket?: number;
            title: string;
            type: string;
            until?: string | null;
        };
        /** ProfileChange */
        ProfileChange: {
            bio?: string | null;
            birthDate?: string | null;
            discoveryPreferences?: components["schemas"]["DiscoveryChange"] | null;
            displayName?: string | null;
            gender?: components["schemas"]["Gender"] | null;
            location?: components["schemas"]["Location"] | null;
            matching?: boolean | null;
            seeking?: components["schemas"]["Gender"][] | null;
            timezone?: string | null;
        };
        /** Progress */
        Progress: {
            completionPercentage: number;
            nextStep: components["schemas"]["NextStep"];
        };
        /** PublishedKey */
        PublishedKey: {
            alg: string;
            crv: string;
            kid: string;
            kty: string;
            use: string;
            x: string;
        };
        /** QuestionShown */
        QuestionShown: {
            description?: string | null;
            id: string;
            isRequired: boolean;
            max?: number | null;
            min?: number | null;
            options?: components["schemas"]["OptionShown"][] | null;
            previousAnswer?: string | number | string[] | null;
            prompt: string;
            step?: number | null;
            type: components["schemas"]["QuestionType"];
        };
        /** QuestionsShown */
        QuestionsShown: {
            questions: components["schemas"]["QuestionShown"][];
            version: number;
        };
        /**
         * QuestionType
         * @enum {string}
         */
        QuestionType: "single_choice" | "multiple_choice" | "slider" | "text" | "ranking";
        /** QueueShown */
        QueueShown: {
            currency: string;
            fee: number;
            lines: components["schemas"]["LineShown"][];
            matchmakers: components["schemas"]["PresentMatchmaker"][];
            offered: number[];
        };
        /** Readiness */
        Readiness: {
            checks: {
                [key: string]: string;
            };
            lanes: string[];
            /** @constant */
            status: "ready";
        };
        /** ReadingNote */
        ReadingNote: {
            place: string;
            says: string;
            source: string;
        };
        /** ReadMark */
        ReadMark: {
            upToMessageId?: string | null;
        };
        /** ReadState */
        ReadState: {
            /** Format: uuid */
            matchId: string;
            unreadCount: number;
            upToMessageId?: string | null;
        };
        /** Recent */
        Recent: {
            attempts: number;
            completionRate: number | null;
            died: number;
            exhaustedRate: number | null;
            failed: number;
            failureRate: number | null;
            kinds: components["schemas"]["KindActivity"][];
            lost: number;
            p95Seconds: number | null;
            perSecond: number;
            seconds: number;
            succeeded: number;
        };
        /** RefreshAsked */
        RefreshAsked: {
            /** @description What the app calls this device: the same each time, and no other's. */
            deviceId?: string | null;
            refreshToken: string;
        };
        /** Reinstating */
        Reinstating: {
            reason: string;
        };
        /** RejectedMatch */
        RejectedMatch: {
            /** @default  */
            content: string;
            place: string;
            reason: string;
            source: string;
        };
        /** RelatedJob */
        RelatedJob: {
            id: number;
            key: string;
            kind: string;
            met: boolean;
            state: components["schemas"]["JobState"];
        };
        /**
         * RelationshipIntent
         * @enum {string}
         */
        RelationshipIntent: "casual" | "serious" | "marriage" | "unsure";
        /** Repaired */
        Repaired: {
            expectations: components["schemas"]["RepairReport"][];
        };
        /** RepairReport */
        RepairReport: {
            /** @default 0 */
            dead: number;
            /** @default 0 */
            enqueued: number;
            error?: string | null;
            kind: string;
            name: string;
            /** @default 0 */
            requeued: number;
            /** @default 0 */
            revived: number;
            /** @default 0 */
            waiting: number;
        };
        /** Replay */
        Replay: {
            eventId?: string | null;
            /** @default false */
            onlyMissing: boolean;
            since?: string | null;
            until?: string | null;
        };
        /** Replayed */
        Replayed: {
            deliveries: number;
            replay: number;
        };
        /**
         * ReportCategory
         * @enum {string}
         */
        ReportCategory: "harassment" | "inappropriate_content" | "scam" | "violence" | "self_harm" | "child_safety" | "other";
        /** ReportDecision */
        ReportDecision: {
            /** @description How long a suspension lasts; without it 7. */
            days?: number | null;
            decision: components["schemas"]["Decision"];
            /** @description For operators. */
            note?: string | null;
        };
        /** ReportDetail */
        ReportDetail: {
            evidence: {
                [key: string]: unknown;
            }[];
            history: components["schemas"]["SubjectHistory"];
            notes: components["schemas"]["ReportNote"][];
            report: components["schemas"]["ListedReport"];
        };
        /** ReportNote */
        ReportNote: {
            /** Format: uuid */
            id: string;
            note: string;
            /** Format: date-time */
            writtenAt: string;
            writtenBy: string;
        };
        /** ReportPage */
        ReportPage: {
            next: string | null;
            reports: components["schemas"]["ListedReport"][];
        };
        /** ReportReceipt */
        ReportReceipt: {
            /** Format: date-time */
            estimatedResponse: string;
            /** Format: uuid */
            reportId: string;
        };
        /**
         * ReportStatus
         * @description Only these.
         * @default open
         * @enum {string}
         */
        ReportStatus: "open" | "decided" | "dismissed";
        /**
         * ReportType
         * @enum {string}
         */
        ReportType: "user" | "message" | "match";
        /** Requeue */
        Requeue: {
            filter?: components["schemas"]["DeadFilter"] | null;
            ids?: number[];
        };
        /** Requeued */
        Requeued: {
            requeued: number;
        };
        /** ResultAnswer */
        ResultAnswer: {
            repeated: boolean;
            session: components["schemas"]["SessionShown"];
        };
        /** ResultChange */
        ResultChange: {
            /** Format: date-time */
            at: string;
            newAway: number | null;
            newHome: number | null;
            oldAway: number | null;
            oldHome: number | null;
            source: string;
        };
        /** RoundFigures */
        RoundFigures: {
            /** @default 0 */
            anchors: number;
            /** @default 0 */
            exposureGini: number;
            meanScore: number;
            /** @default 0 */
            mutualShare: number;
            neverShown: number;
            offers: number;
            /** @default 0 */
            oneSided: number;
            pairs: number;
            people: number;
            /** @default 0 */
            returns: number;
            /** @default 0 */
            topMeanScore: number;
            /** @default 0 */
            withoutOffers: number;
        };
        /** RoundList */
        RoundList: {
            rounds: components["schemas"]["RoundView"][];
        };
        /** RoundView */
        RoundView: {
            chosenAt: string | null;
            /** Format: date */
            day: string;
            figures: components["schemas"]["RoundFigures"] | null;
            people: number;
            /** Format: date-time */
            pinnedAt: string;
            questionVersion: number | null;
            score: string;
            selection: string;
        };
        /** RunAttemptShown */
        RunAttemptShown: {
            attempt: number;
            error: string | null;
            errorClass: string | null;
            /** Format: date-time */
            finishedAt: string;
            outcome: components["schemas"]["AttemptEnding"];
            startedAt: string | null;
            token: number;
        };
        /** RunRequest */
        RunRequest: {
            /** @default false */
            fresh: boolean;
            /** @description For example https://acme.com */
            url: string;
        };
        /** RunsByStartup */
        RunsByStartup: {
            startups: components["schemas"]["StartupRuns"][];
        };
        /** RunStep */
        RunStep: {
            /** Format: date-time */
            beganAt: string;
            endedAt: string | null;
            milliseconds: number | null;
            /** @enum {string} */
            step: "resolve" | "extract" | "parse" | "match" | "rank" | "finalize";
            token: number;
        };
        /** RunsView */
        RunsView: {
            next: string | null;
            runs: components["schemas"]["HeldRunView"][];
        };
        /** RunTold */
        RunTold: {
            attempts: components["schemas"]["RunAttemptShown"][];
            jobId: number | null;
            jobState: components["schemas"]["JobState"] | null;
            run: components["schemas"]["HeldRunView"];
            steps: components["schemas"]["RunStep"][];
        };
        /** RunView */
        RunView: {
            canonical_url: string;
            canonicalUrl: string;
            corpus_version: number | null;
            corpusVersion: number | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            createdAt: string;
            error_code: string | null;
            error_message: string | null;
            errorCode: string | null;
            errorMessage: string | null;
            input_url: string;
            inputUrl: string;
            match_count: number | null;
            matchCount: number | null;
            /** Format: uuid */
            run_id: string;
            /** Format: uuid */
            runId: string;
            startup_id: string | null;
            startupId: string | null;
            /** @enum {string} */
            status: "created" | "queued" | "processing" | "ready" | "error";
            /** @enum {string} */
            step: "resolve" | "extract" | "parse" | "match" | "rank" | "finalize";
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** RunWithMatches */
        RunWithMatches: {
            canonical_url: string;
            canonicalUrl: string;
            corpus_version: number | null;
            corpusVersion: number | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            createdAt: string;
            error_code: string | null;
            error_message: string | null;
            errorCode: string | null;
            errorMessage: string | null;
            input_url: string;
            inputUrl: string;
            match_count: number | null;
            matchCount: number | null;
            matches?: components["schemas"]["InvestorMatch"][] | null;
            next?: string | null;
            /** Format: uuid */
            run_id: string;
            /** Format: uuid */
            runId: string;
            startup?: components["schemas"]["StartupProfile"] | null;
            startup_id: string | null;
            startupId: string | null;
            /** @enum {string} */
            status: "created" | "queued" | "processing" | "ready" | "error";
            /** @enum {string} */
            step: "resolve" | "extract" | "parse" | "match" | "rank" | "finalize";
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** Schedules */
        Schedules: {
            schedules: components["schemas"]["ScheduleView"][];
        };
        /** ScheduleView */
        ScheduleView: {
            /** Format: date-time */
            cursor: string;
            declared: boolean;
            kind: string;
            lastFired: string | null;
            lastSkipped: string | null;
            lastTick: string | null;
            lateBy: string | null;
            name: string;
            nextAt: string | null;
            paused: boolean;
            pausedAt?: string | null;
            pausedBy?: string | null;
            pauseReason?: string | null;
            words: string;
        };
        /** SealPage */
        SealPage: {
            next: number | null;
            seals: components["schemas"]["SealShown"][];
            unsealedSeconds: number;
        };
        /** SealShown */
        SealShown: {
            entries: number;
            hash: string;
            head: string;
            number: number;
            previous: string;
            /** Format: date-time */
            sealedAt: string;
        };
        /** SentAction */
        SentAction: {
            action: components["schemas"]["OfferAction"];
        };
        /** SentAppeal */
        SentAppeal: {
            /** Format: uuid */
            actionId: string;
            reason: string;
        };
        /** SentDispute */
        SentDispute: {
            reason: string;
        };
        /** SentMove */
        SentMove: {
            number: number;
            payload?: {
                [key: string]: unknown;
            };
            type: string;
        };
        /** SentReport */
        SentReport: {
            category: components["schemas"]["ReportCategory"];
            description?: string | null;
            evidence?: string[];
            severity?: components["schemas"]["Severity"] | null;
            /** Format: uuid */
            subjectId: string;
            type: components["schemas"]["ReportType"];
        };
        /** SentResponse */
        SentResponse: {
            answer: string | number | string[];
            /** @enum {integer|null} */
            importance?: 0 | 1 | 2 | 3 | 4 | null;
            questionId: string;
            wish?: string | number | string[] | null;
        };
        /** SentResponses */
        SentResponses: {
            responses: components["schemas"]["SentResponse"][];
            version: number;
        };
        /** SentResult */
        SentResult: {
            winnerId: string | null;
        };
        /** SessionEnded */
        SessionEnded: {
            ended: number;
        };
        /** SessionList */
        SessionList: {
            next: number | null;
            sessions: components["schemas"]["SessionShown"][];
        };
        /**
         * SessionResult
         * @enum {string}
         */
        SessionResult: "win" | "draw" | "split";
        /** SessionShown */
        SessionShown: {
            amount: number;
            /** Format: date-time */
            createdAt: string;
            currency: string;
            dispute: components["schemas"]["Dispute"] | null;
            /** Format: date-time */
            expiresAt: string;
            id: number;
            moves: number;
            players: string[];
            result: components["schemas"]["SessionResult"] | null;
            settledAt: string | null;
            startedAt: string | null;
            status: components["schemas"]["SessionStatus"];
            token: string | null;
            winnerId: string | null;
        };
        /**
         * SessionStatus
         * @description ``waiting`` until the first move. The pot is there until it is settled or void.
         * @enum {string}
         */
        SessionStatus: "waiting" | "playing" | "settled" | "disputed" | "void";
        /** SessionView */
        SessionView: {
            caller: components["schemas"]["StaffRole"];
            endsAt: string | null;
            name: string;
        };
        /** SetList */
        SetList: {
            absent: string | null;
            sets: components["schemas"]["SetView"][];
        };
        /**
         * SetStatus
         * @enum {string}
         */
        SetStatus: "completed" | "skipped";
        /** SettingList */
        SettingList: {
            settings: components["schemas"]["SettingShown"][];
        };
        /** SettingShown */
        SettingShown: {
            about: string;
            allowed: string;
            example: string;
            name: string;
            /** @enum {string} */
            source: "environment" | "default";
            value: string | null;
        };
        /**
         * SetType
         * @enum {string}
         */
        SetType: "daily_offers" | "weekly_anchor";
        /** SetView */
        SetView: {
            /** Format: date */
            day: string;
            /** Format: date-time */
            dueAt: string;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            madeAt: string;
            offers: components["schemas"]["OfferView"][];
            questionVersion: number | null;
            reason: string | null;
            removed: string[];
            score: string | null;
            selection: string | null;
            status: components["schemas"]["SetStatus"];
            type: components["schemas"]["SetType"];
            zone: string;
        };
        /**
         * Severity
         * @description The most severe first.
         * @enum {string}
         */
        Severity: "critical" | "high" | "standard";
        /** SidedFit */
        SidedFit: {
            possible: number;
            reached: number;
            shared: number;
            themes: string[];
        };
        /** Signal */
        Signal: {
            agrees: number | null;
            says: string;
            signal: string;
            weight?: number | null;
        };
        /** Signed */
        Signed: {
            endpoint: components["schemas"]["Endpoint"];
            secret: string;
        };
        /** SignInList */
        SignInList: {
            sessions: components["schemas"]["SignInView"][];
        };
        /** SignInView */
        SignInView: {
            /** Format: date-time */
            createdAt: string;
            current: boolean;
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            lastUsedAt: string;
        };
        /**
         * StaffRole
         * @enum {string}
         */
        StaffRole: "operator" | "viewer";
        /** StakeDetail */
        StakeDetail: {
            claims: components["schemas"]["LoggedClaim"][];
            hold: components["schemas"]["Hold"];
            money: components["schemas"]["MoneyEntry"][];
            ticket: components["schemas"]["TicketHeld"];
        };
        /** StakeLine */
        StakeLine: {
            amount: number;
            currency: string;
            /** Format: date-time */
            oldestAt: string;
            waiting: number;
        };
        /** StandingShown */
        StandingShown: {
            lines: components["schemas"]["StakeLine"][];
            place: number | null;
            ticket: components["schemas"]["TicketShown"] | null;
            wait: components["schemas"]["WaitEstimate"] | null;
            waitingFor: components["schemas"]["WaitingFor"] | null;
            why: string | null;
        };
        /** StartedSession */
        StartedSession: {
            /** Format: date-time */
            expiresAt: string;
            provider: string;
            /** Format: uuid */
            sessionId: string;
            uploadUrl: string;
        };
        /** StartupProfile */
        StartupProfile: {
            country: string | null;
            name: string;
            pitch: string;
            raising: number | null;
            sectors: string[];
            stage: string | null;
            url: string;
        };
        /** StartupRuns */
        StartupRuns: {
            atLeast: boolean;
            failed: number;
            /** Format: date-time */
            newestAt: string;
            ready: number;
            runs: number;
            startupId: string | null;
        };
        /** StatementLine */
        StatementLine: {
            amount: number;
            /** Format: date-time */
            at: string;
            balance: number | null;
            entryKind: components["schemas"]["TransferKind"];
            kind: components["schemas"]["TransferKind"];
            line: number;
            queueId: number | null;
            reference: string;
            sessionId: number | null;
            transferId: number;
        };
        /** Stats */
        Stats: {
            /** Format: date-time */
            at: string;
            blocked: number;
            countMax: number;
            dead: number;
            identitiesEstimated: number;
            lanes: components["schemas"]["LaneCount"][];
            liveBytes: number;
            oldestReadySeconds: number;
            oldestTransactionSeconds: number;
            overdue: number;
            ready: number;
            recent: components["schemas"]["Recent"];
            running: number;
            scheduled: number;
            workers: number;
        };
        /** StatsView */
        StatsView: {
            alerts: components["schemas"]["Alert"][];
            stats: components["schemas"]["Stats"];
        };
        /**
         * Status
         * @description Where a fixture stands. Only `scheduled` is planned.
         * @enum {string}
         */
        Status: "scheduled" | "live" | "finished" | "awarded" | "postponed" | "cancelled" | "abandoned";
        /** StepView */
        StepView: {
            current: boolean;
            dataVersion: string | null;
            dueAt: string | null;
            finishedAt: string | null;
            jobId: number | null;
            kind: string;
            late: boolean;
            madeAt: string | null;
            model: string | null;
            priority: number | null;
            reason: string | null;
            retroactive: boolean;
            state: components["schemas"]["JobState"] | null;
            step: string;
        };
        /** SubjectHistory */
        SubjectHistory: {
            actions: components["schemas"]["ActionShown"][];
            blockedBy: number;
            openReports: number;
            reporters: number;
            reports: number;
        };
        /** Suspending */
        Suspending: {
            /** @description How long; without it, for ever. */
            days?: number | null;
            reason: string;
        };
        /** SystemView */
        SystemView: {
            connections: number;
            database: string;
            databaseBytes: number;
            embedded: boolean;
            migrationsApplied: number;
            migrationsPending: string[];
            mode: components["schemas"]["Mode"];
            now: string;
            serverVersion: string;
            transactions: number;
            version: string;
        };
        /** TickDay */
        TickDay: {
            caughtUp: number;
            /** Format: date */
            day: string;
            expected: number;
            fired: number;
            late: number;
            schedule: string;
            skipped: number;
        };
        /** TickDays */
        TickDays: {
            days: components["schemas"]["TickDay"][];
        };
        /** TicketAnswer */
        TicketAnswer: {
            ticket: components["schemas"]["TicketShown"];
        };
        /** TicketHeld */
        TicketHeld: {
            amount: number;
            changes: number;
            /** Format: date-time */
            createdAt: string;
            currency: string;
            endedAt: string | null;
            /** Format: date-time */
            expiresAt: string;
            fee: number;
            holdId: number;
            id: number;
            matchedAt: string | null;
            /** Format: uuid */
            playerId: string;
            /** Format: date-time */
            queuedAt: string;
            sessionId: number | null;
            status: components["schemas"]["TicketStatus"];
        };
        /** TicketList */
        TicketList: {
            next: number | null;
            tickets: components["schemas"]["TicketHeld"][];
        };
        /** TicketShown */
        TicketShown: {
            amount: number;
            /** Format: date-time */
            createdAt: string;
            currency: string;
            /** Format: date-time */
            expiresAt: string;
            fee: number;
            id: number;
            matchedAt: string | null;
            sessionId: number | null;
            status: components["schemas"]["TicketStatus"];
        };
        /**
         * TicketStatus
         * @enum {string}
         */
        TicketStatus: "queued" | "matched" | "expired" | "cancelled";
        /** TokenPair */
        TokenPair: {
            accessToken: string;
            expiresIn: number;
            refreshToken: string;
        };
        /** TokenSignIn */
        TokenSignIn: {
            token: string;
        };
        /** TransferAnswer */
        TransferAnswer: {
            amount: number;
            credit: number;
            currency: string;
            kind: components["schemas"]["TransferKind"];
            reference: string;
            repeated: boolean;
            transferId: number;
            wallet: number;
        };
        /**
         * TransferKind
         * @description Of transfers, and of the entries in them.
         * @enum {string}
         */
        TransferKind: "DEPOSIT" | "STAKE" | "STAKE_IN" | "COMMISSION" | "CREDIT" | "PAYOUT" | "REFUND" | "WITHDRAWAL";
        /** TrialBalance */
        TrialBalance: {
            imbalance: number;
            lines: components["schemas"]["TrialLine"][];
        };
        /** TrialLine */
        TrialLine: {
            accounts: number;
            balance: number;
            currency: string;
            held: number | null;
            kind: components["schemas"]["AccountKind"];
        };
        /** Unmatch */
        Unmatch: {
            reason?: components["schemas"]["UnmatchReason"] | null;
        };
        /**
         * UnmatchReason
         * @enum {string}
         */
        UnmatchReason: "not_interested" | "inappropriate" | "other";
        /** User */
        User: {
            age: number | null;
            bio: string | null;
            birthDate: string | null;
            /** Format: date-time */
            createdAt: string;
            discoveryPreferences: components["schemas"]["DiscoveryPreferences"];
            displayName: string | null;
            gender: components["schemas"]["Gender"] | null;
            /** Format: uuid */
            id: string;
            lastActiveAt: string | null;
            location: components["schemas"]["Location"] | null;
            matching: boolean;
            onboardingStatus: components["schemas"]["OnboardingStatus"];
            phoneNumber: string | null;
            photos: components["schemas"]["PhotoShown"][];
            seeking: components["schemas"]["Gender"][];
            status: components["schemas"]["UserStatus"];
            timezone: string | null;
        };
        /** UserBlock */
        UserBlock: {
            /** Format: date-time */
            blockedAt: string;
            /** Format: uuid */
            userId: string;
        };
        /** UserDetail */
        UserDetail: {
            answers: number;
            blockedBy: number;
            blocksMade: number;
            reported: number;
            reportsMade: number;
            user: components["schemas"]["User"];
            verificationFailures: number;
            verifiedAt: string | null;
            waitsForReview: boolean;
        };
        /** UserMatch */
        UserMatch: {
            closedAt?: string | null;
            closedReason?: components["schemas"]["ClosedReason"] | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            id: string;
            lastMessageAt?: string | null;
            status: components["schemas"]["MatchState"];
            unreadCount?: number | null;
            user: components["schemas"]["MatchedUser"];
        };
        /** UserPage */
        UserPage: {
            next: string | null;
            users: components["schemas"]["FoundUser"][];
        };
        /**
         * UserStatus
         * @enum {string}
         */
        UserStatus: "active" | "suspended" | "pending_verification" | "non_matching" | "deleted";
        /** VerificationDecision */
        VerificationDecision: {
            /** @enum {string} */
            decision: "verified" | "reset" | "liveness_failed" | "age_verification_failed" | "quality_too_low" | "policy_violation";
            /** @description For the audit. */
            reason?: string | null;
        };
        /** VerificationResult */
        VerificationResult: {
            attemptsLeft: number;
            failureReason?: components["schemas"]["FailureReason"] | null;
            /** Format: uuid */
            sessionId: string;
            status: components["schemas"]["VerificationStatus"];
        };
        /**
         * VerificationStatus
         * @enum {string}
         */
        VerificationStatus: "verified" | "failed" | "manual_review";
        /** WaitEstimate */
        WaitEstimate: {
            half: number | null;
            most: number | null;
            samples: number;
        };
        /**
         * WaitingFor
         * @enum {string}
         */
        WaitingFor: "partner" | "another_partner" | "turn" | "matchmaker";
        /**
         * WhyCode
         * @description What keeps a job from running, or that nothing does.
         * @enum {string}
         */
        WhyCode: "running" | "cancelling" | "lost" | "due_at" | "retry_at" | "overdue" | "blocked" | "blocked_by_end" | "lane_paused" | "kind_paused" | "group_full" | "shared_group_full" | "no_worker" | "lane_without_worker" | "kind_without_worker" | "next" | "succeeded" | "cancelled" | "skipped" | "dead" | "discarded";
        /** WhyReason */
        WhyReason: {
            at?: string | null;
            code: components["schemas"]["WhyCode"];
            jobs?: components["schemas"]["RelatedJob"][];
            note?: string | null;
            text: string;
        };
        /** Workers */
        Workers: {
            workers: components["schemas"]["WorkerView"][];
        };
        /**
         * WorkerState
         * @enum {string}
         */
        WorkerState: "busy" | "idle" | "lost" | "ended";
        /** WorkerView */
        WorkerView: {
            /** Format: date-time */
            beatAt: string;
            endedAt: string | null;
            id: number;
            lanes: string[];
            /** Format: date-time */
            leaseUntil: string;
            name: string;
            running: number;
            /** Format: date-time */
            startedAt: string;
            state: components["schemas"]["WorkerState"];
        };
        /** ZoneList */
        ZoneList: {
            zones: components["schemas"]["ZoneView"][];
        };
        /** ZoneView */
        ZoneView: {
            closedAt: string | null;
            /** Format: date */
            day: string;
            /** Format: date-time */
            dueAt: string;
            empty: number;
            /** Format: date-time */
            endsAt: string;
            expected: number;
            fannedOutAt: string | null;
            made: number;
            offers: number;
            skipped: number;
            zone: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    jwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeySet"];
                };
            };
        };
    };
    adminAppeals: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string | null;
                /** @description At most so many. */
                limit?: number;
                /** @description Only these. */
                status?: components["schemas"]["AppealStatus"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppealPage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `after` is not the `next` of a page of this list */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminAppealDecide: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The appeal's id. */
                appeal_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppealDecision"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Appeal"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such appeal */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It is decided, or the user is suspended already; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminAudit: {
        parameters: {
            query?: {
                /** @description Such as job.cancel. */
                action?: string | null;
                /** @description Only what they changed. */
                actor?: string | null;
                /** @description The `next` of the page before. */
                after?: number | null;
                /** @description At most so many. */
                limit?: number;
                /** @description Such as job:17. */
                subject?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminBulkActions: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: number | null;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkPage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminBulkAsk: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskBulk"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkView"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing is expected under that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing matches; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The action cannot be narrowed like that, or by nothing at all */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminBulkAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the bulk action. */
                bulk_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkView"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such bulk action */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminBulkUndo: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Of the bulk action. */
                bulk_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkView"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such bulk action */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It has begun: it is too late to undo it; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminBulkPreview: {
        parameters: {
            query?: {
                /** @description What would be done to them. */
                action?: components["schemas"]["BulkAction"];
                /** @description Such as logic. */
                errorClass?: string | null;
                /** @description Only gaps of this expectation. */
                expectation?: string | null;
                /** @description Only keys that begin so. */
                key?: string | null;
                /** @description Only this kind. */
                kind?: string | null;
                /** @description Only this lane. */
                lane?: string | null;
                /** @description Died then or later: an instant, or seconds since 1970. */
                since?: string | number | null;
                /** @description Only jobs in this state. */
                state?: components["schemas"]["JobState"] | null;
                /** @description In the error, or beginning the key. */
                text?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing is expected under that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The action cannot be narrowed like that, or by nothing at all */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminCorpusVersions: {
        parameters: {
            query?: {
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CorpusVersions"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminDashboard: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminDead: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string | null;
                /** @description Such as logic. */
                errorClass?: string | null;
                /** @description Only this kind. */
                kind?: string | null;
                /** @description Only this lane. */
                lane?: string | null;
                /** @description At most so many. */
                limit?: number;
                /** @description Died then or later: an instant, or seconds since 1970. */
                since?: string | number | null;
                /** @description In the error, or beginning the key. */
                text?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadPage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `after` is not the `next` of a page of this list */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminDeadDiscard: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Discard"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Discarded"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A text of the filter is empty, which would match everything */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminDeadRequeue: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Requeue"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Requeued"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A text of the filter is empty, which would match everything */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminDisputes: {
        parameters: {
            query?: {
                /** @description Go on after this one: `next`. */
                after?: number;
                /** @description At most so many. */
                limit?: number;
                /** @description Only those. */
                status?: "open" | "resolved" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputePage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminDisputeResolve: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description The dispute's id. */
                dispute_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisputeDecision"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dispute"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The pot was paid out, and who got it has it no longer */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such dispute */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The dispute is resolved already; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Neither a winner nor split was said, or both, or a stranger */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Go on after this event; without it, from now. */
                "Last-Event-ID"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminFigures: {
        parameters: {
            query?: {
                /** @description Only this kind; all together without. */
                kind?: string | null;
                /** @description From then on: an instant, or seconds since 1970. */
                since?: string | number | null;
                /** @description Seconds of one point. */
                step?: number;
                /** @description Before then. */
                until?: string | number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Figures"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `since` is not before `until`, or is too long before it */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminFiguresOfKinds: {
        parameters: {
            query?: {
                /** @description From then on: an instant, or seconds since 1970. */
                since?: string | number | null;
                /** @description Before then. */
                until?: string | number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FiguresOfKinds"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `since` is not before `until`, or is too long before it */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminTickDays: {
        parameters: {
            query?: {
                /** @description So many days, of UTC. */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TickDays"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `since` is not before `until`, or is too long before it */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGaps: {
        parameters: {
            query?: {
                /** @description At most so many. */
                limit?: number;
                /** @description Only this expectation. */
                name?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Gaps"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing is expected under that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The query of the expectation that was named is wrong */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGapMap: {
        parameters: {
            query?: {
                /** @description How long a cell is. */
                by?: components["schemas"]["CellSize"];
                /** @description Only this expectation. */
                name?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GapMaps"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing is expected under that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The query of the expectation that was named is wrong */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGapsRepair: {
        parameters: {
            query?: {
                /** @description Only this expectation. */
                name?: string | null;
            };
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repaired"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing is expected under that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminIdentity: {
        parameters: {
            query?: {
                /** @description The job's id; or name it: */
                job?: number | null;
                /** @description The job's key. */
                key?: string | null;
                /** @description The job's kind, with its key. */
                kind?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityView"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such job */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Which job is not said */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminJobs: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: number | null;
                /** @description Only keys that begin so. */
                key?: string | null;
                /** @description Only this kind, in the order of keys. */
                kind?: string | null;
                /** @description Only live jobs of this lane. */
                lane?: string | null;
                /** @description At most so many. */
                limit?: number;
                /** @description Only jobs in this state. */
                state?: components["schemas"]["JobState"] | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDetail"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such job */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminJobCancel: {
        parameters: {
            query?: {
                /** @description Why; kept with the job. */
                reason?: string;
            };
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's id. */
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobChanged"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such job */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The job is in a state that does not allow it; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminJobRetry: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's id. */
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobChanged"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such job */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The job is in a state that does not allow it; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminJobRevive: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The job's id. */
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobChanged"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such job */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The job is in a state that does not allow it; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its history has been dropped, and its payload with it */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminJobWhy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobWhy"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such job */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSeals: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: number | null;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SealPage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminTrialBalance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrialBalance"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminOfferExplained: {
        parameters: {
            query: {
                /** @description Who was, or was not, in it. */
                candidate: string;
                /** @description A batch date; the newest, if unsaid. */
                date?: string | null;
                /** @description Whose set it is about. */
                user: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PairExplained"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No round has been made of that date */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminOfferRounds: {
        parameters: {
            query?: {
                /** @description Only older ones: the last `day` of the page before. */
                before?: string | null;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoundList"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminOfferSets: {
        parameters: {
            query?: {
                /** @description At most so many. */
                limit?: number;
                /** @description Only of this date, or older. */
                until?: string | null;
            };
            header?: never;
            path: {
                /** @description The user's id. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetList"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description That is no user's id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminOfferZones: {
        parameters: {
            query: {
                /** @description A batch date, as 2026-02-19. */
                date: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ZoneList"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminPauses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pauses"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminPause: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeginPause"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PauseChanged"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no schedule of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminResume: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndPause"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PauseChanged"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no schedule of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminPeople: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string | null;
                /** @description At most so many. */
                limit?: number;
                /** @description How the display name begins. */
                name?: string | null;
                /** @description The whole number, as +49… */
                phone?: string | null;
                /** @description Only users of this status who have begun a profile. */
                status?: components["schemas"]["UserStatus"] | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `after` is not the `next` of a page of this list */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminPerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's id. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDetail"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminPersonCorrect: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The user's id. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Correction"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDetail"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It can be read, but not done: the detail says why */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminPersonVerification: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The user's id. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerificationDecision"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDetail"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No session of this user waits for a decision; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminPlayerDeposit: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description The player's id. */
                player_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoneyMoved"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferAnswer"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The reference is that of another transfer; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The account has another currency, or would hold too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminPlayerLedger: {
        parameters: {
            query?: {
                /** @description Which account. */
                account?: "wallet" | "credit";
                /** @description The `next` of the page before. */
                after?: string | null;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The player's id. */
                player_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayerAccounts"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `after` is not the `next` of a page of this list */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminPlayerRefund: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description The player's id. */
                player_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoneyMoved"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferAnswer"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is not so much in the account */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The reference is that of another transfer; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The account has another currency, or would hold too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminPlayerWithdrawal: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description The player's id. */
                player_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoneyMoved"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferAnswer"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is not so much in the account */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The reference is that of another transfer; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The account has another currency, or would hold too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminReports: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string | null;
                /** @description At most so many. */
                limit?: number;
                /** @description Only these. */
                status?: components["schemas"]["ReportStatus"];
                /** @description Only about this user. */
                userId?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportPage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `after` is not the `next` of a page of this list */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The report's id. */
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportDetail"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such report */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminReportDecide: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The report's id. */
                report_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportDecision"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnforcementAction"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such report */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It is decided, or the user is suspended already; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The decision does not fit the report */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminReportNote: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The report's id. */
                report_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewNote"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportNote"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such report */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's id. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTold"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such run */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSchedules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedules"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenSignIn"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description That is nobody's token or code */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSignOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionEnded"];
                };
            };
            /** @description A browser that is signed in has not sent the header for changes */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSignOutEverywhere: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionEnded"];
                };
            };
            /** @description A browser that is signed in has not sent the header for changes */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSignInWithCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeSignIn"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description That is nobody's token or code */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSessions: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: number | null;
                /** @description At most so many. */
                limit?: number;
                /** @description Only these. */
                status?: components["schemas"]["SessionStatus"] | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminGame: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id. */
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GameDetail"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingList"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminStakes: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: number | null;
                /** @description Who wait at this stake, in line. */
                amount?: number | null;
                /** @description At most so many. */
                limit?: number;
                /** @description Only this player's. */
                player?: string | null;
                /** @description Only these; who wait in line are queued. */
                status?: components["schemas"]["TicketStatus"] | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketList"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminStake: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ticket's id. */
                ticket_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StakeDetail"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such ticket */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminStakeQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueShown"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatsView"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminSystem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemView"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminUsers: {
        parameters: {
            query: {
                /** @description The whole number with its country's code; + may be left out. */
                phone: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountList"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's id. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountDetail"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminUserReinstate: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The user's id. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reinstating"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountView"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The user is not suspended; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's id. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInList"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminUserSessionEnd: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The sign-in's id. */
                sign_in_id: string;
                /** @description The user's id. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, nothing follows */
            204: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The user has no such sign-in */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminUserSuspend: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The user's id. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Suspending"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountView"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The user is suspended already; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    adminWorkers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workers"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    matchRunStart: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRequest"];
            };
        };
        responses: {
            /** @description Request accepted, processing continues off-line */
            202: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description That cannot be the URL of a startup: the detail says why */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests came */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    matchRun: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string | null;
                /** @description At most so many matches. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The run's id. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunWithMatches"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such run, or it is too old */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The run's version of the corpus is no longer kept: run it again */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description That cannot be the URL of a startup: the detail says why */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests came */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    matchRunEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description What a browser sends when it connects again. */
                "Last-Event-ID"?: string | null;
            };
            path: {
                /** @description The run's id. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such run, or it is too old */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests came */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    matchRuns: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string | null;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunsView"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    matchRunsByStartup: {
        parameters: {
            query?: {
                /** @description So many days back. */
                days?: number;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunsByStartup"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, nothing follows */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    otpSend: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeWanted"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeSent"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No code can be sent to that number: the detail says why */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many codes: Retry-After says when to come again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    otpVerify: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeTried"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewSession"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The code is wrong or has expired, was used, or tried too often */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    refresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshAsked"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPair"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The refresh token is unknown, expired, revoked or was reused */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInList"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sessionEnd: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The sign-in's id. */
                sign_in_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, nothing follows */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such sign-in */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    questions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuestionsShown"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    questionsAnswer: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SentResponses"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Progress"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description That version of the questions is not asked any more; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An answer does not fit its question: the detail says which */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    events: {
        parameters: {
            query?: never;
            header?: {
                /** @description Go on after this event; without it, from now. */
                "Last-Event-ID"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have too many streams open in this process */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    fixtures: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string | null;
                /** @description Only this competition. */
                competition?: string | null;
                /** @description Only kickoffs then or later: an instant, or seconds. */
                from?: string | number | null;
                /** @description At most so many. */
                limit?: number;
                /** @description Only this season, such as 2026-27. */
                season?: string | null;
                /** @description Only these. */
                status?: components["schemas"]["Status"] | null;
                /** @description Only matches of this team. */
                team?: string | null;
                /** @description Only kickoffs before: an instant, or seconds since 1970. */
                to?: string | number | null;
                /** @description Only those that have no time, and are not planned. */
                untimed?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FixturePage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No team is called so */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It can be read, but not done: the detail says why */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    fixturesIngest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFixtures"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestReport"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It can be read, but not done: the detail says why */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    fixture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The fixture's id. */
                fixture_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FixtureDetail"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such fixture */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    matches: {
        parameters: {
            query?: {
                /** @description Which of them. */
                status?: components["schemas"]["MatchStatus"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchList"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    match: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of your matches. */
                match_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserMatch"];
                };
            };
            /** @description Bad request syntax or unsupported method */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: string;
                        extra?: null | {
                            [key: string]: unknown;
                        } | unknown[];
                        status_code: number;
                    };
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such match */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    messages: {
        parameters: {
            query?: {
                /** @description Only what is older than this message. */
                before?: string | null;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description One of your matches. */
                match_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such match, or it has no such message */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `before` is no message of this match */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    messageSend: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description One of your matches. */
                match_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMessage"];
            };
        };
        responses: {
            /** @description It was sent before: the stored one */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such match, or it has no such message */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The match is closed; or `clientMessageId` is another message's; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The text shows nothing, or has control characters */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests came */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    messagesRead: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description One of your matches. */
                match_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadMark"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadState"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such match, or it has no such message */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The match is closed; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unmatch: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description One of your matches. */
                match_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Unmatch"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserMatch"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such match */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    offers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OfferList"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    offerAction: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description One of your offers. */
                offer_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SentAction"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Acted"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such offer */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The offer does not take that action any more; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    photo: {
        parameters: {
            query?: {
                /** @description Until there is a thumbnail the full picture stands in for it. */
                size?: "full" | "thumbnail";
            };
            header?: never;
            path: {
                /** @description The photo's id. */
                photo_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": string;
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user or an operator; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such photo, or none that you may see */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    player: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayerShown"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user or a player */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    playerLedger: {
        parameters: {
            query?: {
                /** @description Which of your accounts. */
                account?: "wallet" | "credit";
                /** @description Go on after this place: the `next` of a page. */
                after?: string | null;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayerLedger"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user or a player */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `after` is not the `next` of a page of this list */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Something that is needed is missing */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    appeal: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SentAppeal"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppealReceipt"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such action about you */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is an appeal against that action already; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    block: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBlock"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserBlock"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody blocks themselves */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    report: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SentReport"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportReceipt"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What you report is not there, or you cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have reported that within the last hour; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody reports themselves */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id. */
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionShown"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user or a player; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You play in no such session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sessionDispute: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description The session's id. */
                session_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SentDispute"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dispute"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user or a player; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You play in no such session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The session is over, or disputed already; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no reason */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sessionMoves: {
        parameters: {
            query?: {
                /** @description Moves after this number. */
                after?: number;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The session's id. */
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MoveShown"][];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user or a player; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You play in no such session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sessionMove: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session's id. */
                session_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SentMove"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MoveShown"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user or a player; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You play in no such session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The session is over, or `expected` is the number of the next move; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The payload cannot be stored, or is too large */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sessionResult: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description The session's id. */
                session_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SentResult"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultAnswer"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a game server */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The winner did not play */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stake: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewStake"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketAnswer"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is not enough in credit and wallet */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user or a player; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have an open ticket: `ticket` is its id; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not among the stakes, or the account has another currency */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stakeCancel: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description The ticket's id. */
                ticket_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketAnswer"];
                };
            };
            /** @description The idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user or a player; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such ticket */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The ticket is no longer in the queue; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stakeChange: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description The ticket's id. */
                ticket_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewStake"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketAnswer"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is not enough in credit and wallet */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user or a player; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such ticket */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The ticket is no longer in the queue; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not among the stakes, or the account has another currency */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stakeCurrent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandingShown"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user or a player; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    meDelete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request accepted, processing continues off-line */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionBegun"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    meChange: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileChange"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description birthDate and gender are fixed since you were verified; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It can be read, but not stored: the detail says why */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    blocks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockList"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unblock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Whom you have blocked. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, nothing follows */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request syntax or unsupported method */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: string;
                        extra?: null | {
                            [key: string]: unknown;
                        } | unknown[];
                        status_code: number;
                    };
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have not blocked that user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No export was asked for */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportAsk: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request accepted, processing continues off-line */
            202: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description The idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An export was asked for within the last day */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportFetch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As `url` of `GET /users/me/export` has it. */
                link_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
            /** @description Bad request syntax or unsupported method */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: string;
                        extra?: null | {
                            [key: string]: unknown;
                        } | unknown[];
                        status_code: number;
                    };
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such link for this sign-in, or it is over */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    photoAdd: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @enum {string} */
                    isPrimary?: "true" | "false";
                    /**
                     * Format: binary
                     * @description JPEG, PNG or WebP, at most 10 MiB and 40 megapixels.
                     */
                    photo: string;
                };
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhotoShown"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have sent this photo before, or have nine already; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The picture is larger than 10 MiB or 40 megapixels */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It is no form with a picture that can be decoded */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many pictures are being checked at the moment; or the database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    photoRemove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The photo's id. */
                photo_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, nothing follows */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request syntax or unsupported method */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: string;
                        extra?: null | {
                            [key: string]: unknown;
                        } | unknown[];
                        status_code: number;
                    };
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such photo, or none that you may see */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preferencesPut: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no room for so many preferences; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It can be read, but not stored: the detail says why */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verificationStart: {
        parameters: {
            query?: never;
            header: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewVerification"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedSession"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It is over, too early, or you have failed three times; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verificationComplete: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The session's id. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationResult"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such verification session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It is over, too early, or you have failed three times; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verificationPicture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/jpeg": string;
                "image/png": string;
                "image/webp": string;
            };
        };
        responses: {
            /** @description Request fulfilled, nothing follows */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of a user; or the account is suspended */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such verification session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It is over, too early, or you have failed three times */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The picture is larger than 10 MiB or 40 megapixels */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It is no picture that can be decoded */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many pictures are being checked at the moment; or the database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhookAttempts: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: number | null;
                /** @description At most so many. */
                limit?: number;
                /** @description Only those that ended so. */
                outcome?: components["schemas"]["DeliveryOutcome"] | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryLogPage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhookEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointList"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhookEndpointAdd: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewEndpoint"];
            };
        };
        responses: {
            /** @description Document created, URL follows */
            201: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Signed"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It can be read, but not done: the detail says why */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhookEndpointRemove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id. */
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, nothing follows */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such endpoint */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhookEndpointChange: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The endpoint's id. */
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndpointChange"];
            };
        };
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Endpoint"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such endpoint */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The endpoint is paused or disabled; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It can be read, but not done: the detail says why */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhookEndpointAttempts: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: number | null;
                /** @description At most so many. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The endpoint's id. */
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttemptPage"];
                };
            };
            /** @description A parameter or the body cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator or a viewer */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such endpoint */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhookEndpointReplay: {
        parameters: {
            query?: never;
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The endpoint's id. */
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Replay"];
            };
        };
        responses: {
            /** @description Request accepted, processing continues off-line */
            202: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replayed"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such endpoint */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The endpoint is paused or disabled; or the idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description It can be read, but not done: the detail says why */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhookEndpointRotate: {
        parameters: {
            query?: {
                /** @description How long the secret before goes on signing too. */
                overlapSeconds?: number;
            };
            header?: {
                /** @description A UUID of version 4, new for each operation. Sent again with the same key, the request is not carried out again, and answers the same. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The endpoint's id. */
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Request fulfilled, document follows */
            200: {
                headers: {
                    /** @description The request had been carried out before: this is what was answered then. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Signed"];
                };
            };
            /** @description A parameter or the body cannot be read; or the idempotency key is no UUID of version 4 */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No token was sent, or one that is nobody's */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The token is not that of an operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such endpoint */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The idempotency key is in use, or was used for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many wrong tokens came from this address */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached, or does not fit */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}

"""Every figure that the papers print, against our code: compared, judged by a written rule, or listed with a reason."""
